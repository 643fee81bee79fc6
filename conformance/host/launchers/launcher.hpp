// How the ranks of a group start: the command lines and their environment.
#pragma once
#include <string>
#include <vector>

#include "conformance/host/launchers/child_process.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"

namespace zerocts {

struct LaunchRequest {
  const SubjectSpec& subject;
  int world_size = 1;
  std::string folder;  // of the group; made
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// The processes that the conductor starts.
  virtual std::vector<ProcessCommand> Commands(const LaunchRequest& request) const = 0;
  /// How many shims will speak to the conductor.
  virtual int Shims(int world_size) const { return world_size; }
  /// How many processes host the ranks.
  virtual int RankProcesses(int world_size) const { return world_size; }
  /// What is missing on this machine for it: "expected mpirun on the PATH, got none; ..". "": nothing.
  virtual std::string Missing() const { return ""; }
  /// Why it cannot start this subject: "expected a plugin or a framework, got exec:true; ..". "": it can.
  virtual std::string Mismatch(const SubjectSpec&) const { return ""; }
};

const Launcher& LocalLauncher();
const Launcher& ThreadsLauncher();
const Launcher& MpirunLauncher();
const Launcher& SrunLauncher();
const Launcher& CommandLauncher();

/// All that is said of a launcher follows from its line in the table.
struct LauncherEntry {
  LauncherKind kind;
  const char* name;
  const char* summary;  // for help
  const Launcher& (*launcher)();
};
inline constexpr LauncherEntry kLaunchers[] = {
    {LauncherKind::kLocal, "local", "a process per rank", LocalLauncher},
    {LauncherKind::kThreads, "threads", "threads of one process", ThreadsLauncher},
    {LauncherKind::kMpirun, "mpirun", "a process per rank, started by Open MPI", MpirunLauncher},
    {LauncherKind::kSrun, "srun", "a process per rank, started by Slurm", SrunLauncher},
    {LauncherKind::kCommand, "command", "the subject's command starts all ranks", CommandLauncher},
};
const Launcher& LauncherOf(LauncherKind kind);
/// "local (a process per rank), threads (threads of one process), .."
std::string LauncherSummaries();

// Each throws UsageError: "--launcher threads: expected a plugin or a framework, got exec:true; choose --launcher
// local".
void RequireLauncher(LauncherKind kind);
void RequireMatch(LauncherKind kind, const SubjectSpec& subject);

/// [program, worker, --, the rank's command ..]; `threads` > 1: all ranks in one worker.
std::vector<std::string> ShimCommand(const SubjectSpec& subject, int threads = 1);
/// The same for the command that starts all ranks.
std::vector<std::string> ShimCommandOfAllRanks(const SubjectSpec& subject);

}  // namespace zerocts
