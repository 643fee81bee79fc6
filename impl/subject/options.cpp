#include "impl/subject/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace zerocts {
namespace {

constexpr int64_t kMostGpus = 1 << 20;  // a number that no machine has, so that it is refused where GPUs are counted

int64_t Number(const std::string& key, const std::string& value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) {
    throw std::invalid_argument(fmt::format("option {} is \"{}\": expected a number from 0 on", key, value));
  }
  return number;
}

}  // namespace

NativeOptions ParseOptions(const std::vector<std::pair<std::string, std::string>>& options) {
  NativeOptions parsed;
  for (const auto& [key, value] : options) {
    if (key == "comm") {
      parsed.comm = value;
    } else if (key == "device") {
      parsed.device = value;
    } else if (key == "strategy") {
      parsed.strategy = value;
    } else if (key == "gpu") {
      parsed.device_settings.gpu = static_cast<int>(std::min<int64_t>(Number(key, value), kMostGpus));
    } else if (key == "sim_seed") {
      parsed.device_settings.seed = static_cast<uint64_t>(Number(key, value));
    } else if (key == "sim_capacity_bytes") {
      parsed.device_settings.capacity_bytes = Number(key, value);
    } else {
      throw std::invalid_argument(fmt::format(
          "option {} is unknown; this subject has: comm=auto|threads|shm|mpi, device=host|sim|cuda, "
          "gpu=N, strategy=NoShard|ShardGradOp|FullShard|HybridShard, sim_seed=N, sim_capacity_bytes=N", key));
    }
  }
  return parsed;
}

}  // namespace zerocts
