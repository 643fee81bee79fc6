// How the ranks of a group start: the command lines and their environment.
#pragma once
#include <string>
#include <vector>

#include "conformance/host/conductor/child_process.hpp"
#include "conformance/host/conductor/launcher_kind.hpp"
#include "conformance/host/conductor/subject_spec.hpp"

namespace zerocts {

struct LaunchRequest {
  const SubjectSpec& subject;
  int world_size = 1;
  std::string folder;  // of the group; made
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// The processes that the conductor starts. Throws UsageError when this launcher cannot do what is asked.
  virtual std::vector<ProcessCommand> Commands(const LaunchRequest& request) const = 0;
  /// How many shims will speak to the conductor.
  virtual int Shims(int world_size) const { return world_size; }
};

const Launcher& LauncherOf(LauncherKind kind);
const Launcher& LocalLauncher();    // a process per rank
const Launcher& ThreadsLauncher();  // W threads of one process
const Launcher& MpirunLauncher();   // a process per rank, started by mpirun
const Launcher& CommandLauncher();  // one command that starts all ranks

/// Is mpirun in PATH?
bool MpirunIsInstalled();

/// [program, worker, --, the rank's command ..]; `threads` > 1: all ranks in one worker.
std::vector<std::string> ShimCommand(const SubjectSpec& subject, int threads = 1);
/// Likewise for the command that starts all ranks.
std::vector<std::string> ShimCommandOfAllRanks(const SubjectSpec& subject);

}  // namespace zerocts
