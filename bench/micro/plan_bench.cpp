// The judge of shard plans at the sizes of its promise, from memory. Reading files is timed apart.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "conformance/host/system/process_memory.hpp"
#include "reference/plan/forms/plan_json.hpp"
#include "reference/plan/judge/judge.hpp"

namespace zerocts::plan {
namespace {

constexpr int kTensors = 100'000, kRanks = 16'384;
constexpr int64_t kElements = 1'000'000'000'000;

uint64_t Next(uint64_t& state) {  // xorshift
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

/// 10^12 elements in 10^5 tensors of all sizes.
Model LargeModel() {
  uint64_t state = 88172645463325252u;
  std::vector<int64_t> cuts = {0, kElements};
  while (std::ssize(cuts) <= kTensors) cuts.push_back(static_cast<int64_t>(Next(state) % kElements));
  std::sort(cuts.begin(), cuts.end());
  Model model;
  for (int t = 0; t < kTensors; ++t) model.push_back({.name = std::to_string(t), .shape = {cuts[t + 1] - cuts[t]}});
  return model;
}

Plan DividedBy(Division division) {
  division.tensors = {{0, kTensors}};
  Plan plan{.model = LargeModel(),
            .mesh = {{{"shard", kRanks}}},
            .shardings = {{{"shard"}, {std::move(division)}}},
            .sharding_of = {0, 0, 0}};
  return plan;
}

void Measure(benchmark::State& state, const Plan& plan, double promised_seconds) {
  for (auto _ : state) {
    const Verdict verdict = Judge(plan);
    if (!verdict.sound()) state.SkipWithError(ToString(verdict.firsts.front()).c_str());
  }
  state.counters["promised s"] = promised_seconds;
}

void FlatPlan(benchmark::State& state) {
  Plan plan = DividedBy({.each = false, .rule = Even{}});
  plan.balance = 1;
  Measure(state, plan, 0.010);
}
BENCHMARK(FlatPlan)->Unit(benchmark::kMillisecond);

void OneCutPerTensor(benchmark::State& state) {
  Plan plan = DividedBy({.rule = Ceil{}});
  plan.balance = kElements;
  Measure(state, plan, 1);
  state.counters["peak MB"] = static_cast<double>(TakePeakBytes()) / 1e6;
}
BENCHMARK(OneCutPerTensor)->Unit(benchmark::kMillisecond);

/// Argument: intervals, shuffled.
void ShuffledIntervals(benchmark::State& state) {
  const int64_t count = state.range(0), numel = kElements / count;
  Intervals list;
  list.intervals.reserve(count);
  uint64_t random = 1;
  for (int64_t i = 0; i < count; ++i)
    list.intervals.push_back(
        {i * numel, (i + 1) * numel, Interval::kBehindTheLast, static_cast<int32_t>(Next(random) % kRanks)});
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(list.intervals[i], list.intervals[Next(random) % static_cast<uint64_t>(i + 1)]);
  const Plan plan{.model = {{.name = "p", .shape = {numel * count}}},
                  .mesh = {{{"shard", kRanks}}},
                  .shardings = {{{"shard"}, {{.tensors = {{0, 1}}, .rule = std::move(list)}}}},
                  .sharding_of = {0, 0, 0}};
  Measure(state, plan, 10.0 * static_cast<double>(count) / 5e7);
}
BENCHMARK(ShuffledIntervals)->Arg(1'000'000)->Arg(50'000'000)->Unit(benchmark::kMillisecond);

void ReadJson(benchmark::State& state) {
  const std::string text = JsonText(DividedBy({.rule = Ceil{}}));
  for (auto _ : state) benchmark::DoNotOptimize(PlanFromText(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(ReadJson)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace zerocts::plan
