#include "conformance/host/launchers/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/shortage.hpp"

namespace zerocts {

namespace {

constexpr auto kPollPause = std::chrono::milliseconds(1);

std::vector<std::string> EnvironmentWith(const ProcessCommand& command) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "="));
    bool replaced = false;
    for (const auto& [changed, value] : command.environment) replaced = replaced || changed == name;
    if (!replaced) entries.emplace_back(*entry);
  }
  for (const auto& [name, value] : command.environment) {
    if (value) entries.push_back(name + "=" + *value);
  }
  return entries;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string SignalText(int signal_number) {
  const char* name = sigabbrev_np(signal_number);
  return name ? fmt::format("signal {} (SIG{})", signal_number, name) : fmt::format("signal {}", signal_number);
}

std::string StatusText(int status) {
  return WIFSIGNALED(status) ? "was killed by " + SignalText(WTERMSIG(status))
                             : fmt::format("exited with {}", WEXITSTATUS(status));
}

ChildProcess::ChildProcess(const ProcessCommand& command) {
  const std::vector<std::string> environment = EnvironmentWith(command);
  const std::vector<char*> argv = Pointers(command.argv), envp = Pointers(environment);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (command.input < 0) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&files, command.input, STDIN_FILENO);
  }
  if (command.errors < 0) {
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, command.output.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
  } else {
    posix_spawn_file_actions_adddup2(&files, command.errors, STDERR_FILENO);
  }
  posix_spawn_file_actions_adddup2(&files, command.answers < 0 ? STDERR_FILENO : command.answers, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  const int error = posix_spawnp(&pid_, argv[0], &files, &attributes, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error) throw HarnessError(fmt::format("cannot start {}: {}", command.argv[0], ReasonAndRemedy(error)));
}

ChildProcess::~ChildProcess() {
  if (Ended()) return;
  SignalGroup(SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::optional<int> ChildProcess::Ended() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) != 0) status_ = status;  // or somebody else has reaped it
  return status_;
}

bool ChildProcess::EndedUntil(SteadyTime until) {
  while (!Ended()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kPollPause);
  }
  return true;
}

void ChildProcess::SignalGroup(int signal_number) {
  if (!Ended()) kill(-pid_, signal_number);
}

}  // namespace zerocts
