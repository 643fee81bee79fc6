#include "conformance/watch/watched_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"

namespace zerocts::watch {
namespace {

constexpr std::array kPassedOn = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr std::array kOfTheTerminal = {SIGINT, SIGQUIT};  // the terminal sends them to the command itself
constexpr int kNotExecuted = 127;

volatile pid_t watched = 0;

void PassOn(int signal_number) {
  if (watched > 0) kill(watched, signal_number);
}

void SetHandlers(void (*passed_on)(int), void (*of_the_terminal)(int)) {
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = passed_on;
  for (const int signal_number : kPassedOn) sigaction(signal_number, &action, nullptr);
  action.sa_handler = of_the_terminal;
  for (const int signal_number : kOfTheTerminal) sigaction(signal_number, &action, nullptr);
}

pid_t Fork() {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw HarnessError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  return child;
}

Ended WaitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? Ended{128 + WTERMSIG(status), WTERMSIG(status)} : Ended{WEXITSTATUS(status), 0};
}

[[noreturn]] void Become(const std::vector<std::string>& argv,
                         const std::vector<std::pair<std::string, std::string>>& environment) {
  SetHandlers(SIG_DFL, SIG_DFL);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr, "zerocts: cannot run %s: %s\n", words[0], std::strerror(errno));
  _exit(kNotExecuted);
}

}  // namespace

EndedRun RunWatched(const std::vector<std::string>& argv,
                    const std::vector<std::pair<std::string, std::string>>& environment,
                    const std::function<int(int done)>& judge, const std::function<void()>& leave) {
  std::array<int, 2> done{};
  if (pipe2(done.data(), O_CLOEXEC) != 0)
    throw HarnessError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const pid_t judging = Fork();
  if (judging == 0) {
    SetHandlers(SIG_IGN, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    close(done[1]);
    const int exit_code = judge(done[0]);
    std::fflush(nullptr);
    _exit(exit_code);
  }
  close(done[0]);
  leave();
  SetHandlers(PassOn, SIG_IGN);
  sigset_t passed_on, before;  // they wait until it is known to whom they go
  sigemptyset(&passed_on);
  for (const int signal_number : kPassedOn) sigaddset(&passed_on, signal_number);
  sigprocmask(SIG_BLOCK, &passed_on, &before);
  const pid_t command = Fork();
  if (command == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    Become(argv, environment);
  }
  watched = command;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  EndedRun run;
  run.command = WaitFor(command);
  watched = 0;
  close(done[1]);
  const Ended judged = WaitFor(judging);
  run.judge = judged.signal ? kExitHarnessError : judged.exit_code;
  SetHandlers(SIG_DFL, SIG_DFL);
  return run;
}

int EndLike(const Ended& ended) {
  if (ended.signal) {
    signal(ended.signal, SIG_DFL);
    raise(ended.signal);
  }
  return ended.exit_code;
}

}  // namespace zerocts::watch
