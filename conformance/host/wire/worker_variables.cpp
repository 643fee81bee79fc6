#include "conformance/host/wire/worker_variables.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "conformance/host/system/errors.hpp"

namespace zerocts {

std::string RequiredVariable(const char* name) {
  const char* value = std::getenv(name);
  if (!value)
    throw HarnessError(std::string("worker: expected the variable ") + name +
                       " that the conductor sets; do not start workers by hand");
  return value;
}

pid_t ConductorPid() {
  const std::string text = RequiredVariable(kConductorPidVariable);
  const char* const end_of_text = text.data() + text.size();
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), end_of_text, pid);
  if (error == std::errc() && end == end_of_text && pid > 0) return pid;
  throw HarnessError(
      fmt::format("worker: expected the conductor's pid in {}, got \"{}\"", kConductorPidVariable, text));
}

}  // namespace zerocts
