#include "conformance/host/process_state.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace zerocts {

std::string ProcessStateText(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string stat(std::istreambuf_iterator<char>(file), {});
  const size_t name_end = stat.rfind(')');  // the name may hold anything, the state follows it
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return "dead";
  switch (stat[name_end + 2]) {
    case 'T':
    case 't': return "stopped by a signal";
    case 'D': return "in an uninterruptible wait";
    case 'Z':
    case 'X': return "dead";
    default: return "";
  }
}

}  // namespace zerocts
