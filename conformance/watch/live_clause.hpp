// A live clause: what must hold in any training, and a judge of its records. Each stands in a file of its own,
// contract/live/<clause>.cpp, and registers itself.
#pragma once
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "conformance/cases/case/case.hpp"
#include "conformance/watch/observed_run.hpp"
#include "conformance/watch/records.hpp"

namespace zerocts::watch {

/// Judges what it takes; every finding and every comparison goes to the run. A record that is no business of a clause
/// is not looked at.
class LiveJudge {
 public:
  explicit LiveJudge(ClauseFindings findings) : findings_(std::move(findings)) {}
  virtual ~LiveJudge() = default;
  virtual void Take(const StartRecord&) {}
  virtual void Take(const CollectiveRecord&) {}
  virtual void Take(const WaitsRecord&) {}
  virtual void Take(const ParameterRecord&) {}
  virtual void Take(const OptimizerRecord&) {}
  virtual void Take(const StepRecord&) {}
  virtual void Take(const UpdateRecord&) {}
  virtual void Take(const ReplayRecord&) {}
  virtual void Take(const GradientsRecord&) {}
  virtual void Take(const ClipRecord&) {}
  virtual void Take(const ReadRecord&) {}
  virtual void Take(const BatchRecord&) {}
  virtual void Take(const LossScaleRecord&) {}
  virtual void Take(const OffRecord&) {}
  virtual void Take(const EndRecord&) {}
  /// No record comes any more. `in_order`: every rank ended so, and looked at the same steps: what misses was not
  /// there.
  virtual void Finish(bool in_order) { static_cast<void>(in_order); }

 protected:
  ClauseFindings findings_;
};

struct LiveClause {
  std::string id, name, sentence;
  Fidelity fidelity = Fidelity::kBitwise;
  std::string how;
  std::string unseen;                                     // why a run may show nothing of it: "no gradient was clipped"
  std::vector<std::pair<std::string, std::string>> bugs;  // what happened, link
  Level level = Level::kAlarm;
  std::function<std::unique_ptr<LiveJudge>(ClauseFindings)> judge = {};
  std::string file = {};
};

/// One per file, made before main.
struct RegisteredLiveClause {
  template <typename Judge>
  static RegisteredLiveClause Of(LiveClause clause,
                                 const std::source_location& file = std::source_location::current()) {
    clause.judge = [](ClauseFindings findings) { return std::make_unique<Judge>(std::move(findings)); };
    return RegisteredLiveClause(std::move(clause), file);
  }
  RegisteredLiveClause(LiveClause clause, const std::source_location& file);
};

const std::vector<LiveClause>& AllLiveClauses();  // ascending by id

}  // namespace zerocts::watch
