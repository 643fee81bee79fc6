// Host kernels: the fma chains of a matrix product against this core's fma peak, AdamW against the bandwidth of updating memory in place.
#include <benchmark/benchmark.h>

#include <vector>

#include "reference/numerics/counter_rng.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

std::vector<float> Uniform(int64_t numel, uint64_t stream) {
  std::vector<float> values(numel);
  for (int64_t i = 0; i < numel; ++i) values[i] = RandomUniform(1, stream, i);
  return values;
}

void BM_GemmNN(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> a = Uniform(n * n, 1), b = Uniform(n * n, 2);
  std::vector<float> c(n * n);
  for (auto _ : state) {
    HostOps().GemmNN(c.data(), a.data(), b.data(), n, n, n);
    benchmark::ClobberMemory();
  }
  state.counters["flop/s"] = benchmark::Counter(2.0 * n * n * n * state.iterations(), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_GemmNN)->Arg(64)->Arg(256)->Arg(512);

void BM_AdamW(benchmark::State& state) {
  const int64_t numel = state.range(0);
  std::vector<float> master = Uniform(numel, 1), exp_avg(numel), exp_avg_sq(numel);
  const std::vector<float> gradient = Uniform(numel, 2);
  const AdamWScalars scalars{0.001f, 0.9f, 0.999f, 1e-8f, 0.01f, 0.1f, 0.001f, 1.0f};
  for (auto _ : state) {
    HostOps().AdamW(scalars, master.data(), exp_avg.data(), exp_avg_sq.data(), gradient.data(), numel);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * numel * 28);  // reads p, g, m, v; writes p, m, v
}
BENCHMARK(BM_AdamW)->Arg(1 << 22);

/// The peer: the same bytes per second when memory is only added to in place.
void BM_UpdateInPlace(benchmark::State& state) {
  const int64_t numel = state.range(0);
  std::vector<float> values = Uniform(numel, 1);
  const std::vector<float> addend = Uniform(numel, 2);
  for (auto _ : state) {
    HostOps().Add(values.data(), addend.data(), numel);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * numel * 12);
}
BENCHMARK(BM_UpdateInPlace)->Arg(1 << 22);

}  // namespace
}  // namespace zerocts
