// What the kernel says about a process.
#pragma once
#include <fmt/format.h>
#include <sys/types.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace zerocts {

struct ProcessStat {
  char state = 0;  // 'R', 'S', 'T', 'Z', ..
  pid_t parent = 0, group = 0;
};
/// Reads /proc/PID/stat; nothing when there is no such process.
inline std::optional<ProcessStat> StatOf(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string stat;
  std::getline(file, stat, '\0');  // all of it; an iterator of the buffer would throw when the process goes meanwhile
  const size_t name_end = stat.rfind(')');  // the name may hold anything, the state follows it
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_end + 1));
  ProcessStat found;
  if (fields >> found.state >> found.parent >> found.group) return found;
  return std::nullopt;
}

/// `error`, an errno of a look into /proc/PID, says that we may not look there. What has ended is root's.
inline bool IsHidden(pid_t pid, int error) {
  if (error != EACCES && error != EPERM) return false;
  const std::optional<ProcessStat> stat = StatOf(pid);
  return stat && stat->state != 'Z' && stat->state != 'X';
}

/// What it was started with, where we may read it, has an entry that begins so, "NAME=value".
inline bool EnvironmentHas(pid_t pid, const std::string& beginning) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  for (std::string found; std::getline(file, found, '\0');) {
    if (found.starts_with(beginning)) return true;
  }
  return false;
}

/// "stopped by a signal", "in an uninterruptible wait", "dead"; "" for one that runs or sleeps.
inline std::string ProcessStateText(pid_t pid) {
  const std::optional<ProcessStat> stat = StatOf(pid);
  switch (stat ? stat->state : 'X') {
    case 'T':
    case 't': return "stopped by a signal";
    case 'D': return "in an uninterruptible wait";
    case 'Z':
    case 'X': return "dead";
    default: return "";
  }
}

}  // namespace zerocts
