#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

#include "impl/comm/backends.hpp"
#include "impl/subject/options/options.hpp"
#include "reference/plan/value/strategy.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kMostGpus = 1 << 20;  // a number that no machine has, so that it is refused where GPUs are counted

[[noreturn]] void Refuse(const std::string& key, const std::string& value, const std::string& expected) {
  throw std::invalid_argument(fmt::format("option {} is \"{}\": expected {}", key, value, expected));
}

/// "exact, fast or tf32"
std::string OneOfWords(const std::vector<std::string>& words) {
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

/// `set` gets the index of the value among the words.
Option Choice(const std::string& key, const std::vector<std::string>& words, const std::string& summary,
              const std::function<void(NativeOptions&, size_t)>& set) {
  const auto parse = [=](NativeOptions& options, const std::string& value) {
    const auto word = std::ranges::find(words, value);
    if (word == words.end()) Refuse(key, value, OneOfWords(words));
    set(options, static_cast<size_t>(word - words.begin()));
  };
  return {key, fmt::format("{}", fmt::join(words, "|")), summary, parse};
}

/// What others check, who know what this build has.
Option Name(const std::string& key, const std::vector<std::string>& words, const std::string& summary,
            const std::function<void(NativeOptions&, const std::string&)>& set) {
  return {key, fmt::format("{}", fmt::join(words, "|")), summary, set};
}

int64_t NumberOf(const std::string& key, const std::string& value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) {
    Refuse(key, value, "a number from 0 on");
  }
  return number;
}

Option Number(const std::string& key, const std::string& summary,
              const std::function<void(NativeOptions&, int64_t)>& set) {
  return {key, "N", summary,
          [=](NativeOptions& options, const std::string& value) { set(options, NumberOf(key, value)); }};
}

/// "2" or "2,3"
void ParseRanksPerHost(NativeOptions& options, const std::string& value) {
  std::istringstream numbers(value + ",");
  for (std::string number; std::getline(numbers, number, ',');) {
    int n = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
    if (error != std::errc() || end != number.data() + number.size() || n < 1) {
      Refuse("ranks_per_host", value, "numbers from 1 on, such as 2 or 2,3");
    }
    options.ranks_per_host.push_back(n);
  }
}

void ParseGpu(NativeOptions& options, const std::string& value) {
  options.device_settings.gpu =
      value == "rank" ? DeviceSettings::kGpuOfRank : static_cast<int>(std::min(NumberOf("gpu", value), kMostGpus));
}

std::vector<std::string> StrategyNames() {
  std::vector<std::string> names;
  for (const Strategy& strategy : kStrategies) names.emplace_back(strategy.name);
  return names;
}

std::vector<Option> MakeTable() {
  return {
      Name("comm", BackendChoices(), "the transport between ranks; auto takes what fits the launcher and the device",
           [](NativeOptions& o, const std::string& value) { o.comm = value; }),
      {"ranks_per_host", "N[,N]", "comm=shm+mpi: pretends that so many ranks are on each host", ParseRanksPerHost},
      Name("device", {"host", "sim", "cuda"}, "where tensors live and who computes",
           [](NativeOptions& o, const std::string& value) { o.device = value; }),
      {"gpu", "N|rank", "device=cuda: the GPU with this number, or with the rank's", ParseGpu},
      Choice("nccl_reduce", {"exact", "native"},
             "comm=nccl: sums folded in the declared order, or NCCL's own reduce-scatter in the order ring",
             [](NativeOptions& o, size_t native) { o.nccl_native = native != 0; }),
      Choice("nccl_share_gpu", {"off", "on"}, "comm=nccl: several ranks, each a process, use one GPU",
             [](NativeOptions& o, size_t on) { o.nccl_shares_gpu = on != 0; }),
      Choice("nccl_register", {"off", "on"}, "comm=nccl: memory of collectives is registered with NCCL",
             [](NativeOptions& o, size_t on) { o.nccl_registers = on != 0; }),
      Choice("math", {"exact", "fast", "tf32"},
             "device=cuda: matrix products by kernels with the reference's bits, or by cuBLAS",
             [](NativeOptions& o, size_t math) {
               o.device_settings.math = std::array{Math::kExact, Math::kFast, Math::kTf32}[math];
             }),
      Choice("strategy", StrategyNames(), "FSDP's name for a stage and a mesh: no other stage is offered",
             [](NativeOptions& o, size_t strategy) { o.strategy = kStrategies[strategy].name; }),
      Number("sim_seed", "device=sim: the seed of its delays",
             [](NativeOptions& o, int64_t seed) { o.device_settings.seed = static_cast<uint64_t>(seed); }),
      Number("sim_capacity_bytes", "device=sim: its memory; 0 is no limit",
             [](NativeOptions& o, int64_t bytes) { o.device_settings.capacity_bytes = bytes; }),
  };
}

}  // namespace

const std::vector<Option>& OptionTable() {
  static const std::vector<Option> table = MakeTable();
  return table;
}

}  // namespace zerocts::engine
