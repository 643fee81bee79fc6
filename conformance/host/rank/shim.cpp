#include "conformance/host/rank/shim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "conformance/host/system/core_share.hpp"
#include "conformance/host/system/descendant_process.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/held_process.hpp"
#include "conformance/host/system/steady_time.hpp"
#include "conformance/host/wire/link.hpp"
#include "conformance/host/wire/rank_identity.hpp"
#include "conformance/host/wire/rank_output.hpp"
#include "conformance/host/wire/worker_variables.hpp"

namespace zerocts {

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(50);  // in which a rank can write some 100 MB
constexpr auto kRankKillPatience = std::chrono::seconds(2);

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal_number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal_number);
  return set;
}

struct Child {
  pid_t pid = -1;
  int error = 0;    // errno of exec, 0 when it runs
  int output = -1;  // what it writes to
};

/// In the child, between fork and exec. Returns errno when there is no command to become.
int BecomeCommand(std::vector<char*>& argv, int output, pid_t shim) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != shim) _exit(EXIT_FAILURE);
  LeaveVariablesOfRanks();
  const sigset_t watched = WatchedSignals();
  sigprocmask(SIG_UNBLOCK, &watched, nullptr);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(argv[0], argv.data());
  return errno;
}

Child StartChild(const std::vector<std::string>& command, const std::string& output_path) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int output = open(output_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  int exec_failed[2];
  if (output < 0 || pipe2(exec_failed, O_CLOEXEC) != 0)
    throw HarnessError(fmt::format("shim: {}: {}", output_path, std::strerror(errno)));
  const pid_t shim = getpid();
  Child child;
  child.pid = fork();
  if (child.pid < 0) throw HarnessError(fmt::format("shim: cannot start a process: {}", std::strerror(errno)));
  if (child.pid == 0) {
    const int error = BecomeCommand(argv, output, shim);
    [[maybe_unused]] const ssize_t written = write(exec_failed[1], &error, sizeof(error));
    _exit(EXIT_FAILURE);
  }
  setpgid(child.pid, child.pid);  // whichever of both comes first
  child.output = output;
  close(exec_failed[1]);
  if (read(exec_failed[0], &child.error, sizeof(child.error)) != sizeof(child.error)) child.error = 0;
  close(exec_failed[0]);
  return child;
}

class Shim {
 public:
  Shim(int rank, const Child& child)
      : rank_(rank),
        child_(child),
        conductor_(ConductorPid()),
        launcher_(getppid()),
        socket_(ConnectToConductor(context_, ShimPeer(rank))) {
    const sigset_t watched = WatchedSignals();
    signals_ = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void Run(const std::string& command) {
    SendFrames(socket_, Encode(StartedMessage{rank_, getpid(), child_.pid}));
    if (child_.error) {
      SendFrames(socket_,
                 Encode(EndedMessage{rank_, EndKind::kNotStarted, child_.error,
                                     fmt::format("cannot start \"{}\": {}", command, std::strerror(child_.error))}));
    }
    while (!ToldToGo()) {
      zmq_pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, signals_, ZMQ_POLLIN, 0}};
      zmq_poll(items, 2, kBetweenLooks.count());
      EndWhoSaysTooMuch();
    }
    KillDescendants();
  }

 private:
  bool ToldToGo() {
    bool told = false;
    signalfd_siginfo signal{};
    while (read(signals_, &signal, sizeof(signal)) == sizeof(signal)) told = told || signal.ssi_signo != SIGCHLD;
    ReportEnd();
    for (Received received; !(received = ReceiveReadyFrames(socket_)).empty();) {
      if (std::holds_alternative<StopMessage>(DecodeFromConductor(ViewsOf(received)))) return true;
    }
    return told || conductor_.Gone() || launcher_.Gone();
  }

  void ReportEnd() {
    for (const pid_t pid : ChildrenOfThis()) {
      if (pid != child_.pid) waitpid(pid, nullptr, WNOHANG);
    }
    siginfo_t end{};
    if (ended_ || child_.error) return;
    if (waitid(P_PID, static_cast<id_t>(child_.pid), &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid == 0) return;
    ended_ = true;
    SendFrames(socket_, Encode(EndedMessage{rank_, end.si_code == CLD_EXITED ? EndKind::kExited : EndKind::kSignaled,
                                            end.si_status, ""}));
  }

  /// The child's group, and processes that left it. The child is not reaped before, so that its number is its own.
  void KillDescendants() {
    if (!std::exchange(killed_, true)) kill(-child_.pid, SIGKILL);
    KillChildren({}, std::chrono::steady_clock::now() + kRankKillPatience);
  }

  /// Descendants may write on after the command itself has ended.
  void EndWhoSaysTooMuch() {
    struct stat output {};
    if (silenced_ || fstat(child_.output, &output) != 0 || output.st_size <= static_cast<off_t>(kMostOutputBytes))
      return;
    silenced_ = true;
    KillDescendants();
    if (std::exchange(ended_, true)) return;
    SendFrames(socket_,
               Encode(EndedMessage{rank_, EndKind::kSaidTooMuch, 0, SaidTooMuch(static_cast<size_t>(output.st_size))}));
  }

  int rank_;
  Child child_;
  bool ended_ = false;     // the command, and the conductor knows
  bool silenced_ = false;  // with all its descendants, for saying too much
  bool killed_ = false;    // and reaped
  HeldProcess conductor_, launcher_;
  zmq::context_t context_;
  zmq::socket_t socket_;
  int signals_ = -1;
};

int Watch(int rank, const std::vector<std::string>& command) {
  if (command.empty()) throw UsageError("worker: expected a command after --, got none");
  setenv(kAllocatorVariable, kWithoutThreadCache, 0);
  setenv(kShimVariable, std::to_string(getpid()).c_str(), 1);
  const sigset_t watched = WatchedSignals();
  sigprocmask(SIG_BLOCK, &watched, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Child child = StartChild(command, OutputPath(RequiredVariable(kGroupFolderVariable), rank));
  Shim(rank, child).Run(command[0]);
  return EXIT_SUCCESS;
}

}  // namespace

int RunShim(std::vector<std::string> command) {
  const RankIdentity identity = IdentityFromEnvironment();
  const std::string rank = std::to_string(identity.rank), world_size = std::to_string(identity.world_size);
  for (std::string& argument : command) {
    ReplaceAll(argument, "{rank}", rank);
    ReplaceAll(argument, "{world_size}", world_size);
  }
  setenv("ZEROCTS_RANK", rank.c_str(), 1);
  setenv("ZEROCTS_WORLD_SIZE", world_size.c_str(), 1);
  if (std::getenv(kBindVariable)) KeepToShareOfCores(identity.rank, identity.world_size);
  return Watch(identity.rank, command);
}

int RunShimOfAllRanks(std::vector<std::string> command) {
  const RankIdentity identity = IdentityFromEnvironment();
  for (std::string& argument : command) ReplaceAll(argument, "{world_size}", std::to_string(identity.world_size));
  unsetenv("ZEROCTS_RANK");
  unsetenv("ZEROCTS_WORLD_SIZE");
  return Watch(identity.rank, command);
}

}  // namespace zerocts
