#include "conformance/host/system/process_state.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string>

namespace zerocts {

std::optional<ProcessStat> StatOf(pid_t pid) {
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

bool EnvironmentHas(pid_t pid, const std::string& entry) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  for (std::string found; std::getline(file, found, '\0');) {
    if (found == entry) return true;
  }
  return false;
}

std::string ProcessStateText(pid_t pid) {
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
