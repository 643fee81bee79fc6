// What the kernel says about a process.
#pragma once
#include <sys/types.h>
#include <optional>
#include <string>

namespace zerocts {

struct ProcessStat {
  char state = 0;  // 'R', 'S', 'T', 'Z', ..
  pid_t parent = 0, group = 0;
};
/// Reads /proc/PID/stat; nothing when there is no such process.
std::optional<ProcessStat> StatOf(pid_t pid);

/// What it was started with, where we may read it, has this entry, "NAME=value".
bool EnvironmentHas(pid_t pid, const std::string& entry);

/// "stopped by a signal", "in an uninterruptible wait", "dead"; "" for one that runs or sleeps.
std::string ProcessStateText(pid_t pid);

}  // namespace zerocts
