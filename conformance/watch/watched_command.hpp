// A command of the user, its judge beside it: both are children of this process, which starts them and waits.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace zerocts::watch {

/// How a process ended: an exit code, or a signal.
struct Ended {
  int exit_code = 0;
  int signal = 0;
};

struct EndedRun {
  Ended command;
  int judge = 0;  // its exit code; 3 where it was killed
};

/// Runs `argv` (looked for in PATH) with what `environment` adds, on this terminal: what a terminal sends reaches it,
/// and SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are passed on. `judge(done)` runs in a process of its own and gives its
/// exit code; `done` reads as ended once the command has. Throws HarnessError where a process cannot be started.
EndedRun RunWatched(const std::vector<std::string>& argv,
                    const std::vector<std::pair<std::string, std::string>>& environment,
                    const std::function<int(int done)>& judge, const std::function<void()>& leave);

/// Ends this process as `ended` did.
int EndLike(const Ended& ended);

}  // namespace zerocts::watch
