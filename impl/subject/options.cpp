#include "impl/subject/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace zerocts::engine {
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

/// Whether `value` is the second of two words.
bool IsSecond(const std::string& key, const std::string& value, const char* first, const char* second) {
  if (value != first && value != second) {
    throw std::invalid_argument(fmt::format("option {} is \"{}\": expected {} or {}", key, value, first, second));
  }
  return value == second;
}

Math MathOf(const std::string& value) {
  if (value == "exact") return Math::kExact;
  if (value == "fast") return Math::kFast;
  if (value == "tf32") return Math::kTf32;
  throw std::invalid_argument(fmt::format("option math is \"{}\": expected exact, fast or tf32", value));
}

/// "2" or "2,3"
std::vector<int> RanksPerHost(const std::string& value) {
  std::vector<int> ranks;
  std::istringstream numbers(value + ",");
  for (std::string number; std::getline(numbers, number, ',');) {
    int n = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
    if (error != std::errc() || end != number.data() + number.size() || n < 1) {
      throw std::invalid_argument(
          fmt::format("option ranks_per_host is \"{}\": expected numbers from 1 on, such as 2 or 2,3", value));
    }
    ranks.push_back(n);
  }
  return ranks;
}

}  // namespace

NativeOptions ParseOptions(const std::vector<std::pair<std::string, std::string>>& options) {
  NativeOptions parsed;
  bool native_nccl = false;
  for (const auto& [key, value] : options) {
    if (key == "comm") {
      parsed.comm = value;
    } else if (key == "ranks_per_host") {
      parsed.ranks_per_host = RanksPerHost(value);
    } else if (key == "device") {
      parsed.device = value;
    } else if (key == "strategy") {
      parsed.strategy = value;
    } else if (key == "nccl_reduce") {
      native_nccl = IsSecond(key, value, "exact", "native");
    } else if (key == "nccl_share_gpu") {
      parsed.nccl_shares_gpu = IsSecond(key, value, "off", "on");
    } else if (key == "nccl_register") {
      parsed.nccl_registers = IsSecond(key, value, "off", "on");
    } else if (key == "gpu" && value == "rank") {
      parsed.device_settings.gpu = DeviceSettings::kGpuOfRank;
    } else if (key == "gpu") {
      parsed.device_settings.gpu = static_cast<int>(std::min<int64_t>(Number(key, value), kMostGpus));
    } else if (key == "math") {
      parsed.device_settings.math = MathOf(value);
    } else if (key == "sim_seed") {
      parsed.device_settings.seed = static_cast<uint64_t>(Number(key, value));
    } else if (key == "sim_capacity_bytes") {
      parsed.device_settings.capacity_bytes = Number(key, value);
    } else {
      throw std::invalid_argument(fmt::format(
          "option {} is unknown; this subject has: comm=auto|threads|shm|mpi|shm+mpi|nccl, ranks_per_host=N[,N], "
          "device=host|sim|cuda, gpu=N|rank, nccl_reduce=exact|native, nccl_share_gpu=off|on, nccl_register=off|on, "
          "math=exact|fast|tf32, strategy=NoShard|ShardGradOp|FullShard|HybridShard, sim_seed=N, sim_capacity_bytes=N",
          key));
    }
  }
  if (!parsed.ranks_per_host.empty() && parsed.comm != "shm+mpi") {
    throw std::invalid_argument(
        fmt::format("option ranks_per_host is for comm=shm+mpi, which has hosts, but comm is {}", parsed.comm));
  }
  if (parsed.device_settings.math != Math::kExact && parsed.device != "cuda") {
    throw std::invalid_argument(
        fmt::format("option math is exact on every device but cuda, got device={}", parsed.device));
  }
  if (native_nccl && parsed.comm != "nccl") {
    throw std::invalid_argument(fmt::format("option nccl_reduce=native needs comm=nccl, got comm={}", parsed.comm));
  }
  if (native_nccl) parsed.comm = "nccl-native";
  return parsed;
}

}  // namespace zerocts::engine
