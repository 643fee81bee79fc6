#include "conformance/host/wire/worker_variables.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <vector>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

constexpr std::string_view kOurPrefix = "ZEROCTS_";
constexpr std::array<std::string_view, 8> kOfRanks = {
    kConductorVariable, kConductorPidVariable, kGroupSecretVariable, kShimVariable,
    kDeviceVariable,    "ZEROCTS_RANK",        "ZEROCTS_WORLD_SIZE", "ZEROCTS_RANK_THREADS",
};

std::vector<std::string> OwnVariables() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    if (name.starts_with(kOurPrefix) && std::ranges::count(kEngineVariables, name) == 0) names.emplace_back(name);
  }
  return names;
}

std::map<std::string, std::string>& Taken() {
  static std::map<std::string, std::string> taken;
  return taken;
}

}  // namespace

void TakeVariables() {
  for (const std::string& name : OwnVariables()) {
    Taken()[name] = std::getenv(name.c_str());
    unsetenv(name.c_str());
  }
}

void LeaveVariablesOfRanks() {
  for (const std::string& name : OwnVariables()) {
    if (std::ranges::count(kOfRanks, name) == 0) unsetenv(name.c_str());
  }
}

const char* VariableOrNull(const std::string& name) {
  const auto taken = Taken().find(name);
  return taken == Taken().end() ? std::getenv(name.c_str()) : taken->second.c_str();
}

std::string RequiredVariable(const char* name) {
  const char* value = VariableOrNull(name);
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
