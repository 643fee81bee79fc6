// A process whose number came from elsewhere, and that was proven to descend from this one. Nothing else is ever killed
// by number.
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "conformance/host/system/held_process.hpp"
#include "conformance/host/system/steady_time.hpp"

namespace zerocts {

class DescendantProcess {
 public:
  /// Nothing for this process itself, for init, for a stranger, and for a number of another host or PID namespace.
  static std::optional<DescendantProcess> Prove(int64_t pid);

  pid_t pid() const { return process_.pid(); }
  /// It has ended, reaped or not.
  bool Gone() const { return process_.Gone(); }
  void Kill() const { process_.Signal(SIGKILL); }
  /// Takes note of its end when it is, by now, a child of this process.
  void Reap() const;

 private:
  explicit DescendantProcess(HeldProcess process) : process_(std::move(process)) {}
  HeldProcess process_;
};

/// All processes that /proc lists at this moment, but for init.
std::vector<pid_t> ProcessesInProc();

/// Kills the descendants of this process for which `doomed` holds, until none is left that was not killed; returns
/// those.
std::vector<DescendantProcess> KillDescendants(const std::function<bool(pid_t)>& doomed, SteadyTime until);

/// The children of this process; of a subreaper also those that its descendants have left.
std::vector<pid_t> ChildrenOfThis();

/// Kills and reaps the children of this process, until none is left but those of `kept`. A subreaper so ends all its
/// descendants, whatever session or group they have made.
void KillChildren(const std::set<pid_t>& kept, SteadyTime until);

}  // namespace zerocts
