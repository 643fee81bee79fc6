// A process that the conductor starts, watches, ends and reaps.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/system/steady_time.hpp"

namespace zerocts {

/// What to start. An environment variable without value is taken out of the environment.
struct ProcessCommand {
  std::vector<std::string> argv;  // argv[0] is looked for in PATH
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  std::string output;                         // file for stdout and stderr
  int input = -1, answers = -1, errors = -1;  // descriptors for stdin, in place of /dev/null, and in place of the file
};

/// "exited with 3", "was killed by signal 11 (SIGSEGV)", of a status of waitpid.
std::string StatusText(int wait_status);
std::string SignalText(int signal_number);  // "signal 11 (SIGSEGV)"

/// Leads a process group of its own; sees none of our files but those of its command.
class ChildProcess {
 public:
  /// Throws HarnessError naming the program.
  explicit ChildProcess(const ProcessCommand& command);
  ~ChildProcess();  // kills its group and reaps it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Its status when it has ended; reaps it.
  std::optional<int> Ended();
  bool EndedUntil(SteadyTime until);
  void SignalGroup(int signal_number);

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace zerocts
