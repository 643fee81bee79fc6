// The processes of a group: started by a launcher, known by what their shims say, ended and reaped without a trace.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/launchers/child_process.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/host/system/descendant_process.hpp"
#include "conformance/host/system/steady_time.hpp"
#include "conformance/host/wire/protocol.hpp"

namespace zerocts {

class GroupProcesses {
 public:
  /// Throws HarnessError or UsageError when they cannot be started.
  GroupProcesses(const SubjectSpec& subject, LauncherKind launcher, int world_size, const std::string& folder,
                 const std::vector<std::pair<std::string, std::string>>& variables);
  ~GroupProcesses();

  int shims() const { return static_cast<int>(shims_.size()); }
  void Started(const StartedMessage& message);
  void Ended(const EndedMessage& message) { shims_.at(message.rank).ended = true; }
  bool AllStarted() const;
  bool HasStarted(int rank) const { return ShimOf(rank).started; }
  bool AllEnded() const;
  bool AnyEnded() const;

  pid_t PidOf(int rank) const;  // of its command, or of what starts it
  /// The state of a rank that has said nothing: "its process 77 stands stopped by a signal", "process 76, which starts
  /// it, is at work".
  std::string StateOf(int rank) const;

  /// A process that we started has ended although nobody told it to.
  struct Lost {
    int rank;    // whose shim it was; -1: of all ranks
    int status;  // of waitpid
    bool ExitedByItself() const;
  };
  std::optional<Lost> LostProcess() const;

  /// Waits until `patience` for the shims, which were told to go, then kills. Afterwards no process of the group is
  /// left.
  void End(SteadyTime patience);

 private:
  struct Shim {
    bool started = false, ended = false;                // as it says of its command
    std::optional<DescendantProcess> process, command;  // none: they run where they end by themselves
  };
  const Shim& ShimOf(int rank) const { return shims_.size() == 1 ? shims_.front() : shims_.at(rank); }
  bool AllProcessesEnded(SteadyTime until);
  bool IsOfACommand(pid_t pid) const;
  void Kill();

  const std::string folder_;
  std::vector<std::unique_ptr<ChildProcess>> processes_;
  std::vector<Shim> shims_;
};

}  // namespace zerocts
