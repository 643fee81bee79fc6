// One case on a group: made for it and dropped after it. Sends it to the ranks, reads what they say of it, and makes a
// result of how each of them ended.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/conductor/rank_end.hpp"
#include "conformance/host/conductor/rank_group.hpp"
#include "conformance/host/conductor/store_service.hpp"

namespace zerocts {

class GroupRun {
 public:
  /// From here on it is the group's current run.
  GroupRun(RankGroup& group, const Case& c);
  ~GroupRun() { group_.run_ = nullptr; }
  GroupRun(const GroupRun&) = delete;
  GroupRun& operator=(const GroupRun&) = delete;

  RunResult Run(const std::string& checkpoint_folder, const StepWatcher& watcher);

  // What the group hears meanwhile.
  void Handle(int rank, ObservedMessage&& message);
  void Handle(int rank, SteppedMessage&& message);
  void Handle(int, ValuesMessage&& message) { values_ = std::move(message); }
  void Handle(int rank, const RefusedMessage& message) { SetEnd(rank, EndFrom(message)); }
  void Handle(int rank, const BreachMessage& message) { SetEnd(rank, {Ending::kBreach, 0, message.text}); }
  void Handle(int rank, const UnsupportedMessage& message);
  void Handle(int rank, SetMessage&& m) { store_.Set(rank, m.request, std::move(m.key), std::move(m.value)); }
  void Handle(int rank, GetMessage&& m) { store_.Get(rank, m.request, std::move(m.key), m.bytes, m.deadline_ms); }
  void Handle(int rank, const BarrierMessage& m) { store_.Barrier(rank, m.request, m.deadline_ms); }
  void SetEnd(int rank, RankEnd end);
  StoreService& store() { return store_; }

 private:
  /// Why a rank without a generator, and so without a judgement of its own, cannot run the case; "": it can.
  std::string Unsupported() const;
  void Send(int rank, const std::string& checkpoint_folder);
  void AwaitEnds(const StepWatcher& watcher);
  std::string Awaited() const;  // what a rank is to do
  /// Where all that have not ended wait after a step, says how they go on.
  bool AnswerSteps(const StepWatcher& watcher);  // did they?
  void FetchHeld();
  bool Fetch(int rank, size_t index, TensorRecord& record);  // did the rank send its values?
  CaseEnd Decide() const;
  CaseEnd CompareInputs();
  const std::vector<std::string>& InputHashes();   // of the steps that were made
  std::vector<std::string> LastPositions() const;  // of ranks without an end
  void ExpectRoom(const CaseEnd& end) const;       // throws Shortage
  RunResult ResultOf(CaseEnd end);

  RankGroup& group_;
  const Case& case_;
  StoreService store_;
  std::vector<std::optional<ObservedMessage>> observed_;
  std::vector<std::optional<SteppedMessage>> stepped_;  // of ranks that wait for what follows the step
  RankEnds ends_;
  Deadline deadline_;                                   // of the case, or of a step that it reports
  int64_t next_step_;                                   // that ranks report
  bool stopped_ = false;                                // before its last step
  RunnableTime stop_waiting_at_ = RunnableTime::max();  // when to stop waiting for the others after a rank's bad end
  std::optional<ValuesMessage> values_;                 // the answer to a fetch
};

}  // namespace zerocts
