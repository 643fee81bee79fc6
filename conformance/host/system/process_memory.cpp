#include "conformance/host/system/process_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>

namespace zerocts {
namespace {

/// The bytes in line `name` of a file in /proc/self.
int64_t BytesIn(const char* file, const std::string& name) {
  const std::string path = fmt::format("/proc/self/{}", file);
  if (const std::optional<int64_t> bytes = FindBytes(path, {name})) return *bytes;
  throw std::runtime_error(
      fmt::format("{} has no line {}: expected a Linux kernel that tells what a process holds", path, name));
}

}  // namespace

std::optional<int64_t> FindBytes(const std::string& path, std::initializer_list<std::string> names) {
  std::optional<int64_t> sum;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || std::ranges::find(names, line.substr(0, colon)) == names.end()) continue;
    sum = sum.value_or(0) + std::stoll(line.substr(colon + 1)) * 1024;
  }
  return sum;
}

int64_t HeldBytes() { return BytesIn("smaps_rollup", "Pss"); }

/// The kernel keeps the peak of the resident set, in which shared pages count whole; what that was above the set of
/// this moment was memory of this process alone.
int64_t TakePeakBytes() {
  const int64_t above = BytesIn("status", "VmHWM") - BytesIn("status", "VmRSS");
  const int64_t peak = HeldBytes() + (above > 0 ? above : 0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins again at the set of this moment
  return peak;
}

std::optional<int64_t> AvailableBytes() { return FindBytes("/proc/meminfo", {"MemAvailable"}); }

}  // namespace zerocts
