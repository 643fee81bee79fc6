#include "conformance/report/log/machine.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace zerocts {
namespace {

/// What follows `key` and `separator` in the file's first line that begins with `key`; "": no such line.
std::string ValueIn(const char* file, const std::string& key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t\"", line.find(separator) + 1);
    const size_t end = line.find_last_not_of(" \t\"");
    if (begin != std::string::npos && end >= begin) return line.substr(begin, end - begin + 1);
  }
  return "";
}

std::string System() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "";
}

std::string Memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGE_SIZE);
  constexpr double kGibibyte = 1 << 30;
  if (pages <= 0 || bytes <= 0) return "";
  return fmt::format("{:.1f} GiB", static_cast<double>(pages) * static_cast<double>(bytes) / kGibibyte);
}

}  // namespace

nlohmann::json ThisMachine() {
  nlohmann::json machine = nlohmann::json::object();
  const unsigned cores = std::thread::hardware_concurrency();
  for (const auto& [what, text] :
       {std::pair("system", System()), std::pair("distribution", ValueIn("/etc/os-release", "PRETTY_NAME", '=')),
        std::pair("processor", ValueIn("/proc/cpuinfo", "model name", ':')),
        std::pair("cores", cores > 0 ? std::to_string(cores) : ""), std::pair("memory", Memory())}) {
    if (!text.empty()) machine[what] = text;
  }
  return machine;
}

}  // namespace zerocts
