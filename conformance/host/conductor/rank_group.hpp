// A group: W rank processes (or threads of one) that run cases one after the other for one subject. One socket to all
// ranks and shims, a page per rank.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/capabilities/capabilities.hpp"
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"
#include "conformance/host/conductor/group_note.hpp"
#include "conformance/host/conductor/group_processes.hpp"
#include "conformance/host/conductor/group_socket.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_end.hpp"
#include "conformance/host/conductor/rendezvous_service.hpp"
#include "conformance/host/conductor/wait_notice.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/core_waits.hpp"
#include "conformance/host/system/descendant_process.hpp"
#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/wire/protocol.hpp"
#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

/// Is told of each step of a case that reports them, by all ranks: does the case go on?
using StepWatcher = std::function<bool(const std::vector<SteppedMessage>& of_ranks)>;

class RankGroup {
 public:
  /// Starts the ranks and waits for their hello. Throws StartEnded when they do not come up, NotASubject
  /// (start_ended.hpp), UsageError without mpirun, else HarnessError.
  RankGroup(const SubjectSpec& subject, LauncherKind launcher, int world_size, const HostSettings& settings);
  ~RankGroup();  // ends every process of the group
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  /// Runs one case; never throws for what the subject does. After anything but kObserved, kUnsupported and kRefused the
  /// group is spent. `checkpoint_folder`: where the case's checkpoint stands that another run shares; "": in a folder
  /// of this run's own. `watcher`: of the steps that the case reports, each of which has the deadline of a case;
  /// without one all go on.
  RunResult Run(const Case& c, const std::string& checkpoint_folder = "", const StepWatcher& watcher = {});
  /// Ranks of several groups go side by side when all are told first.
  void TellToStop();
  /// Waits until the ranks have ended and ends what is left. A crash or a hang on the way is the result; kObserved when
  /// they ended as they should, or the group was spent. Afterwards it is.
  RunResult Stop();
  bool spent() const { return spent_; }
  int world_size() const { return static_cast<int>(ranks_.size()); }
  std::vector<int> rank_pids() const;  // for fault tests
  const HelloMessage& hello(int rank) const { return *ranks_[rank].hello; }
  std::vector<GroupNote> Notes() const;  // of all ranks

 private:
  struct Rank {
    std::optional<HelloMessage> hello;
    Capabilities capabilities;  // of its hello
    std::unique_ptr<RankPage> page;
    std::optional<DescendantProcess> process;  // none: it runs where nobody here can watch it
    std::optional<RankEnd> end;                // of the current run
    std::optional<ObservedMessage> observed;   // likewise
    std::optional<SteppedMessage> stepped;     // it waits for what follows this step
  };

  // Start (rank_group_start.cpp).
  void AwaitHello(const Deadline& deadline);
  std::vector<int> WithoutHello() const;
  std::string NotStarted(const std::string& why) const;
  [[noreturn]] void ThrowStartEnded(int rank) const;
  [[noreturn]] void ThrowStartHangs(const std::vector<int>& missing, const Deadline& deadline) const;
  std::string OutputOf(const std::vector<int>& blamed) const;
  RunResult ResultOutsideOfCases(Ending ending, std::string message) const;

  // End (rank_group_stop.cpp).
  void AwaitShutdown();
  std::vector<int> StillRunning() const;
  RunResult ResultOfShutdown() const;
  void EndProcesses();  // by force

  // Messages (rank_group_messages.cpp).
  /// Waits for messages until `until` or a little longer than the first one, and handles what has come.
  void Pump(RunnableTime until);
  void Receive(const GroupSocket::Message& message);
  void Handle(int rank, HelloMessage&& message);
  void Handle(int rank, ObservedMessage&& message);
  void Handle(int rank, RefusedMessage&& message);
  void Handle(int rank, BreachMessage&& message);
  void Handle(int rank, UnsupportedMessage&& message);
  void Handle(int rank, FailedMessage&& message);
  void Handle(int rank, ValuesMessage&& message);
  void Handle(int rank, PutMessage&& message);
  void Handle(int rank, GetMessage&& message);
  void Handle(int rank, BarrierMessage&& message);
  void Handle(int rank, SteppedMessage&& message);
  void Handle(int shim, StartedMessage&& message);
  void Handle(int shim, EndedMessage&& message);
  void ExpectCurrentRun(uint64_t run) const;
  void SendToRank(int rank, const Frames& frames) { socket_.Send(RankPeer(rank), frames); }
  void SetEnd(int rank, RankEnd end);
  void SetDeath(int shim, const EndedMessage& message);
  void NoteLostProcess();
  void NoteGoneRanks();
  void NoteLauncherThatSaysTooMuch();

  // One run.
  RunResult RunGuarded(const Case& c, const std::string& checkpoint_folder, const StepWatcher& watcher);
  /// Why a rank without a generator, and so without a judgement of its own, cannot run the case; "": it can.
  std::string Unsupported(const Case& c) const;
  void SendRun(int rank, const Case& c, const std::string& checkpoint_folder);
  void AwaitEnds(const StepWatcher& watcher);
  /// Where all that have not ended wait after a step, says how they go on.
  bool AnswerSteps(const StepWatcher& watcher);   // did they?
  const std::vector<std::string>& InputHashes();  // of the steps that were made; kept until another case is run
  RankEnds Ends() const;
  std::vector<int> WithoutEnd() const;
  CaseEnd Decide() const;
  void FetchHeld();
  void ExpectRoom(const CaseEnd& end) const;  // throws Shortage
  RunResult ResultOf(CaseEnd end, const std::vector<std::string>& standing);
  std::string StandingOf(int rank) const;      // "pid 77, stopped by a signal, stands at step 1, in step"
  std::vector<std::string> Standings() const;  // of ranks without an end
  std::string AwaitedOfCase() const;           // what a rank is to do while a case runs
  WaitedFor WaitedForRanks(const std::vector<int>& ranks, const std::string& to_do) const;
  std::string Stood(int rank) const;  // "at step 1, in step"
  std::set<pid_t> Processes() const;  // of ranks, or what starts them
  std::string LauncherOutputPath() const { return folder_ + "/launcher.log"; }

  const LauncherKind launcher_;
  const bool from_command_;  // the subject is one, run by a shell
  const HostSettings settings_;
  const std::string folder_;
  const std::vector<std::pair<std::string, std::string>> options_;
  CoreWaits core_waits_;
  RunnableClock clock_{[this] { return core_waits_.LongestOf(Processes()); }};
  GroupSocket socket_;
  RendezvousService rendezvous_;
  std::vector<Rank> ranks_;
  std::unique_ptr<GroupProcesses> processes_;

  const Case* case_ = nullptr;  // of the current run
  std::optional<Case> hashed_;
  std::vector<std::string> input_hashes_;
  uint64_t run_ = 0;
  int ends_ = 0;
  Deadline deadline_;                    // of the case, or of a step that it reports
  int64_t next_step_ = 0;                // that ranks report
  bool stopped_ = false;                 // before its last step
  RunnableTime settled_at_;              // when to stop waiting for the others after a rank's bad end
  std::optional<ValuesMessage> values_;  // the answer to a fetch
  std::optional<std::string> failure_;   // of the harness
  std::optional<Deadline> stop_by_;      // the ranks were told to stop
  bool spent_ = false;
};

}  // namespace zerocts
