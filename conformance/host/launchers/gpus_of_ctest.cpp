#include "conformance/host/launchers/gpus_of_ctest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>
#include <regex>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

constexpr const char* kPrefix = "CTEST_RESOURCE_GROUP_";

std::string Required(const Variables& variables, const std::string& name) {
  const char* value = variables(name.c_str());
  if (!value) throw UsageError(fmt::format("{} is not set: expected it from ctest, which set {}COUNT", name, kPrefix));
  return value;
}

int CountOf(const std::string& text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size() && count >= 0) return count;
  throw UsageError(fmt::format("{}COUNT is '{}': expected a number of groups", kPrefix, text));
}

/// "id:0,slots:1;id:3,slots:1" is {"0", "3"}.
std::vector<std::string> IdsOf(const std::string& name, const std::string& text) {
  static const std::regex kAll("id:[a-z0-9_]+,slots:[0-9]+(;id:[a-z0-9_]+,slots:[0-9]+)*"), kId("id:([a-z0-9_]+)");
  if (!std::regex_match(text, kAll)) {
    throw UsageError(fmt::format("{} is '{}': expected id:NAME,slots:N, a semicolon between two", name, text));
  }
  std::vector<std::string> ids;
  for (std::sregex_iterator id(text.begin(), text.end(), kId), end; id != end; ++id) ids.push_back((*id)[1]);
  return ids;
}

}  // namespace

std::optional<std::vector<std::string>> GpusOfCtest(const Variables& variables) {
  const char* count = variables(fmt::format("{}COUNT", kPrefix).c_str());
  if (!count) return std::nullopt;
  std::vector<std::string> gpus;
  for (int group = 0; group < CountOf(count); ++group) {
    const std::string name = fmt::format("{}{}", kPrefix, group), resources = Required(variables, name);
    if (resources != "gpus") {
      throw UsageError(fmt::format("{} is '{}': expected gpus, the only resource of these tests", name, resources));
    }
    for (const std::string& id : IdsOf(name + "_GPUS", Required(variables, name + "_GPUS"))) gpus.push_back(id);
  }
  return gpus;
}

std::optional<int> SeeOnlyGpusOfCtest() {
  const auto gpus = GpusOfCtest([](const char* name) { return std::getenv(name); });
  if (!gpus) return std::nullopt;
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);  // nvidia-smi's order
  setenv("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(*gpus, ",")).c_str(), 1);
  return static_cast<int>(gpus->size());
}

}  // namespace zerocts
