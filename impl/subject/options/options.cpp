#include "impl/subject/options/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "impl/comm/backends.hpp"

namespace zerocts::engine {
namespace {

const Option& OptionOf(const std::string& key) {
  const auto option = std::ranges::find(OptionTable(), key, &Option::key);
  if (option != OptionTable().end()) return *option;
  std::vector<std::string> all;
  for (const Option& known : OptionTable()) all.push_back(known.key + "=" + known.values);
  throw std::invalid_argument(fmt::format("option {} is unknown; this subject has: {}", key, fmt::join(all, ", ")));
}

/// A backend that another option chooses has one spelling.
void RequireItsSpelling(const std::string& comm) {
  const auto* backend = std::ranges::find(kBackends, comm, &Backend::name);
  if (backend == std::end(kBackends) || std::ranges::count(BackendChoices(), comm) != 0) return;
  throw std::invalid_argument(
      fmt::format("option comm is \"{}\": expected {} for that transport", comm, backend->spelling));
}

}  // namespace

NativeOptions ParseOptions(const std::vector<std::pair<std::string, std::string>>& options) {
  NativeOptions parsed;
  for (const auto& [key, value] : options) OptionOf(key).parse(parsed, value);
  RequireItsSpelling(parsed.comm);
  Expect(parsed.ranks_per_host.empty() || parsed.comm == "shm+mpi",
         fmt::format("option ranks_per_host is for comm=shm+mpi, which has hosts, but comm is {}", parsed.comm));
  Expect(parsed.device_settings.math == Math::kExact || parsed.device == "cuda",
         fmt::format("option math is exact on every device but cuda, got device={}", parsed.device));
  Expect(!parsed.nccl_native || parsed.comm == "nccl",
         fmt::format("option nccl_reduce=native needs comm=nccl, got comm={}", parsed.comm));
  if (parsed.nccl_native) parsed.comm = "nccl-native";
  return parsed;
}

}  // namespace zerocts::engine
