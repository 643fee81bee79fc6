// What the kernel says about a process that does not answer.
#pragma once
#include <string>
#include <sys/types.h>

namespace zerocts {

/// "stopped by a signal", "in an uninterruptible wait", "dead"; "" for one that runs or sleeps.
std::string ProcessStateText(pid_t pid);

}  // namespace zerocts
