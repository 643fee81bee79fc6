#include "conformance/host/conductor/launcher.hpp"

#include <fmt/format.h>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/own_program.hpp"

namespace zerocts {

std::string ToString(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::kLocal: return "local";
    case LauncherKind::kThreads: return "threads";
    case LauncherKind::kMpirun: return "mpirun";
    case LauncherKind::kCommand: return "command";
  }
  return "";
}

LauncherKind LauncherKindFromString(const std::string& name) {
  for (const LauncherKind kind :
       {LauncherKind::kLocal, LauncherKind::kThreads, LauncherKind::kMpirun, LauncherKind::kCommand}) {
    if (name == ToString(kind)) return kind;
  }
  throw UsageError(fmt::format("expected a launcher of local, threads, mpirun, command, got \"{}\"", name));
}

const Launcher& LauncherOf(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::kThreads: return ThreadsLauncher();
    case LauncherKind::kMpirun: return MpirunLauncher();
    case LauncherKind::kCommand: return CommandLauncher();
    default: return LocalLauncher();
  }
}

std::vector<std::string> ShimCommand(const SubjectSpec& subject, int threads) {
  std::vector<std::string> argv = {OwnProgram(), "worker", "--"};
  if (subject.plugin.empty()) {
    argv.insert(argv.end(), {"/bin/sh", "-c", subject.command});
  } else {
    argv.insert(argv.end(), {OwnProgram(), "worker", "--plugin", subject.plugin});
    if (threads > 1) argv.insert(argv.end(), {"--threads", std::to_string(threads)});
  }
  return argv;
}

std::vector<std::string> ShimCommandOfAllRanks(const SubjectSpec& subject) {
  return {OwnProgram(), "worker", "--all-ranks", "--", "/bin/sh", "-c", subject.command};
}

}  // namespace zerocts
