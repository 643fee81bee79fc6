#include "conformance/cli/own_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/interrupt.hpp"

namespace zerocts {
namespace {

constexpr std::chrono::seconds kLongestEnd{60};  // of a program that was asked to end

int ExitCodeOfStatus(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

int RunOwnProgram(const std::vector<std::string>& words, const std::string& output, const std::string& errors,
                  std::chrono::minutes longest) {
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC, kMode = 0644;
  std::string name = "zerocts";
  std::vector<char*> arguments = {name.data()};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), kNew, kMode);
  if (errors == output) {
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), kNew, kMode);
  }
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw HarnessError(
        fmt::format("cannot start zerocts {}: {}", words.front(), std::generic_category().message(error)));
  const auto deadline = std::chrono::steady_clock::now() + longest;
  auto last = deadline;  // sooner after an interrupt
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const auto now = std::chrono::steady_clock::now();
    if (last == deadline && !InterruptedBy().empty()) {
      kill(child, SIGTERM);
      last = std::min(deadline, now + kLongestEnd);
    }
    if (now > last) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      ThrowIfInterrupted();
      throw HarnessError(fmt::format("zerocts {} did not end within {} minutes and was killed; its output is in {}",
                                     words.front(), longest.count(), errors));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ThrowIfInterrupted();
  return ExitCodeOfStatus(status);
}

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string LastLineOf(const std::string& path) {
  std::string text = FileText(path);
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace zerocts
