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
#include "conformance/host/conductor/group_end.hpp"
#include "conformance/host/conductor/group_processes.hpp"
#include "conformance/host/conductor/group_socket.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/rank_end.hpp"
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

class GroupRun;

class RankGroup {
 public:
  /// Starts the ranks and waits for their hello. Throws StartEnded when they do not come up, NotASubject
  /// (group_end.hpp), UsageError without mpirun, else HarnessError.
  RankGroup(const SubjectSpec& subject, LauncherKind launcher, int world_size, const HostSettings& settings);
  ~RankGroup();  // ends every process of the group
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  /// Runs one case, before the first that observes memory a small one like it; never throws for what the subject does.
  /// After anything but kObserved, kUnsupported and kRefused the group is spent. `checkpoint_folder`: where the case's
  /// checkpoint stands that another run shares; "": in a folder of this run's own. `watcher`: of the steps that the
  /// case reports, each of which has the deadline of a case; without one all go on.
  RunResult Run(const Case& c, const std::string& checkpoint_folder = "", const StepWatcher& watcher = {});
  /// Tell all groups to stop first, so that they stop in parallel.
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
  friend class GroupRun;

  struct Rank {
    std::optional<HelloMessage> hello;
    Capabilities capabilities;  // of its hello
    std::unique_ptr<RankPage> page;
    std::optional<DescendantProcess> process;  // none: it runs where nobody here can watch it
  };

  // Start.
  void AwaitHello(const Deadline& deadline);
  std::vector<int> WithoutHello() const;
  std::string NotStarted(const std::string& why) const;
  [[noreturn]] void ThrowStartEnded(int rank) const;
  [[noreturn]] void ThrowStartHangs(const std::vector<int>& missing, const Deadline& deadline) const;
  std::string OutputOf(const std::vector<int>& blamed) const;
  RunResult ResultOutsideOfCases(Ending ending, std::string message) const;

  // Stop.
  void AwaitShutdown();
  std::vector<int> StillRunning() const;
  RunResult ResultOfShutdown() const;
  void EndProcesses();  // by force

  // Messages (rank_group_messages.cpp).
  /// Waits for messages until `until` or a little longer than the first one, and handles what has come.
  void Pump(RunnableTime until);
  void Receive(const GroupSocket::Message& message);
  void ExpectCurrentRun(uint64_t run) const;
  void Handle(int rank, HelloMessage&& message);
  void Handle(int rank, FailedMessage&& message);
  void Handle(int shim, StartedMessage&& message);
  void Handle(int shim, EndedMessage&& message);
  void SendToRank(int rank, const Frames& frames) { socket_.Send(RankPeer(rank), frames); }
  /// A rank died or sent garbage.
  void SetLoss(int rank, RankEnd loss);
  void SetDeath(int shim, const EndedMessage& message);
  void NoteLostProcess();
  void NoteGoneRanks();
  void NoteLauncherThatSaysTooMuch();

  WaitedFor WaitedForRanks(const std::vector<int>& ranks, const std::string& to_do) const;
  std::string LastPositionOf(int rank) const;  // "pid 77, stopped by a signal, stands at step 1, in step"
  std::string Stood(int rank) const;           // "at step 1, in step"
  std::set<pid_t> Processes() const;           // of ranks, or what starts them
  std::string LauncherOutputPath() const { return folder_ + "/launcher.log"; }

  const LauncherKind launcher_;
  const bool from_command_;  // the subject is one, run by a shell
  std::chrono::milliseconds case_deadline() const;

  const HostSettings settings_;
  const std::string folder_;
  const std::vector<std::pair<std::string, std::string>> options_;
  CoreWaits core_waits_;
  RunnableClock clock_{[this] { return core_waits_.LongestOf(Processes()); }};
  GroupSocket socket_;
  std::vector<Rank> ranks_;
  std::unique_ptr<GroupProcesses> processes_;
  RankEnds losses_;                     // of ranks that died or sent garbage
  std::optional<std::string> failure_;  // of the harness
  std::optional<Deadline> stop_by_;     // the ranks were told to stop
  bool spent_ = false;
  bool warm_ = false;  // a small case ran before those that observe memory

  uint64_t runs_ = 0;
  GroupRun* run_ = nullptr;                                          // the current one; null: none
  std::optional<std::pair<Case, std::vector<std::string>>> hashed_;  // last: a benchmark runs one case again and again
};

}  // namespace zerocts
