// What memory bounds: AdamW beside the bandwidth of updating its arrays in place, the exact norm beside a plain sum.
// Both take turns, and the best time of each counts.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "bench/bounds/memory_bound.hpp"
#include "bench/micro/uniform.hpp"
#include "bench/timing/timing.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/ops/threads.hpp"

namespace zerocts {
namespace {

/// Counters: GB/s of both, and the part of the peer's that ours reaches.
template <typename Operation, typename Peer>
void Compare(benchmark::State& state, double bytes, const Operation& operation, double peer_bytes, const Peer& peer) {
  const auto threads = static_cast<int>(state.range(1));
  double ours = 1e9, peers = 1e9;
  for (auto _ : state) {
    const double seconds = SecondsOf(threads, operation);
    state.SetIterationTime(seconds);
    ours = std::min(ours, seconds);
    peers = std::min(peers, SecondsOf(threads, peer));
  }
  state.counters["GB/s"] = bytes / ours * 1e-9;
  state.counters["peer"] = peer_bytes / peers * 1e-9;
  state.counters["ratio"] = (bytes / ours) / (peer_bytes / peers);
}

/// 28 bytes a parameter: reads p, g, m, v; writes p, m, v. Streams begin at different offsets in a page, and of a line.
/// The peer updates the same arrays in place with one addition for each.
void BM_AdamW(benchmark::State& state) {
  const int64_t numel = state.range(0), stagger = 1136;
  const auto threads = static_cast<int>(state.range(1));
  Ops& ops = HostOpsWith(ChosenHostKernels(), threads);
  Threads peers(threads);
  std::vector<float> memory = Uniform(4 * (numel + stagger), 1);
  float *master = memory.data(), *gradient = master + numel + stagger, *exp_avg = gradient + numel + stagger,
        *exp_avg_sq = exp_avg + numel + stagger;
  std::fill_n(exp_avg, numel, 0.0f);
  std::fill_n(exp_avg_sq, numel, 0.0f);
  const AdamWScalars scalars{0.001f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.1f, 0.001f, 1.0f};
  const auto bytes = static_cast<double>(numel) * 28;
  Compare(
      state, bytes, [&] { ops.AdamW(scalars, master, exp_avg, exp_avg_sq, gradient, numel); }, bytes,
      [&] {
        ForEachPart(peers, numel, 1, [&](int64_t begin, int64_t count) {
          UpdateAsBound(master + begin, exp_avg + begin, exp_avg_sq + begin, gradient + begin, count);
        });
      });
}
BENCHMARK(BM_AdamW)->ArgNames({"numel", "threads"})->Args({1 << 24, 1})->Args({1 << 24, 2})->UseManualTime();

/// The peer: fp32, eight accumulators of sixteen lanes, which is the bits of no definition.
float PlainSumOfSquares(const float* in, int64_t numel) {
  float sums[128] = {};
  for (int64_t i = 0; i + 128 <= numel; i += 128) {
    for (int j = 0; j < 128; ++j) sums[j] += in[i + j] * in[i + j];
  }
  return *std::max_element(sums, sums + 128);
}

void BM_Norm(benchmark::State& state) {
  const int64_t numel = state.range(0);
  Ops& ops = HostOpsWith(ChosenHostKernels(), static_cast<int>(state.range(1)));
  const std::vector<float> in = Uniform(numel, 1);
  const auto bytes = static_cast<double>(numel) * 4;
  Compare(
      state, bytes,
      [&] {
        SumOfSquares sum;
        ops.AddSquares(&sum, in.data(), numel);
        benchmark::DoNotOptimize(sum.Norm());
      },
      bytes, [&] { benchmark::DoNotOptimize(PlainSumOfSquares(in.data(), numel)); });
}
BENCHMARK(BM_Norm)
    ->ArgNames({"numel", "threads"})
    ->Args({1 << 16, 1})
    ->Args({1 << 24, 1})
    ->Args({1 << 24, 2})
    ->UseManualTime();

}  // namespace
}  // namespace zerocts
