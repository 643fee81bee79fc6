// Matrix products beside OpenBLAS and beside the fma units. Ours and the peer take turns, and the best time of each
// counts: what else runs on the machine disturbs both alike.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "bench/bounds/peers.hpp"
#include "bench/timing/timing.hpp"
#include "reference/model/tensor_memory.hpp"
#include "reference/numerics/bf16.hpp"
#include "reference/numerics/counter_rng.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

/// Where a model's tensors stand: at the begin of a cache line.
Tensor<float> UniformBf16(int64_t numel, uint64_t stream) {
  Tensor<float> values;
  values.Resize(HostTensors(), numel);
  for (int64_t i = 0; i < numel; ++i) values.data()[i] = RoundToBf16(RandomUniform(1, stream, i));
  return values;
}

void Multiply(Ops& ops, GemmLayout layout, float* c, const float* a, const float* b, int64_t M, int64_t N, int64_t K,
              Operands operands) {
  if (layout == GemmLayout::kNN) ops.GemmNN(c, a, b, M, N, K, operands);
  if (layout == GemmLayout::kNT) ops.GemmNT(c, a, b, M, N, K, operands);
  if (layout == GemmLayout::kTN) ops.GemmTN(c, a, b, M, N, K, operands);
}

/// The time of one product, measured over so many in a row that the clock is finer than what it reads.
template <typename Product>
double SecondsOfProduct(int threads, double flops, const Product& product) {
  const int count = 1 + static_cast<int>(2e7 / flops);
  return SecondsOf(threads,
                   [&] {
                     for (int i = 0; i < count; ++i) product();
                   }) /
         count;
}

/// Arguments: M, N, K, threads. Counters: Gflop/s of both, ours / OpenBLAS, ours / (threads * peak of one core).
void MeasureGemm(benchmark::State& state, GemmLayout layout, const std::string& kernels, Operands operands) {
  const int64_t M = state.range(0), N = state.range(1), K = state.range(2);
  const int threads = static_cast<int>(state.range(3));
  const Tensor<float> a = UniformBf16(M * K, 1), b = UniformBf16(K * N, 2), c = UniformBf16(M * N, 3);
  Ops& ops = HostOpsWith(kernels, threads);
  static const double peak = FmaPeak();
  const double flops = 2.0 * static_cast<double>(M * N * K);
  double ours = 1e9, peers = 1e9;
  for (auto _ : state) {
    const double seconds = SecondsOfProduct(
        threads, flops, [&] { Multiply(ops, layout, c.data(), a.data(), b.data(), M, N, K, operands); });
    state.SetIterationTime(seconds);
    ours = std::min(ours, seconds);
    if (!HasOpenBlas()) continue;
    peers = std::min(peers, SecondsOfProduct(threads, flops, [&] {
                       OpenBlasGemm(threads, layout, c.data(), a.data(), b.data(), M, N, K);
                     }));
  }
  state.counters["Gflop/s"] = flops / ours * 1e-9;
  if (HasOpenBlas()) state.counters["openblas"] = flops / peers * 1e-9;
  if (HasOpenBlas()) state.counters["ratio"] = peers / ours;
  if (peak > 0.0) state.counters["of_peak"] = flops / ours / (peak * threads);
}

void BM_Gemm(benchmark::State& state, GemmLayout layout) {
  MeasureGemm(state, layout, ChosenHostKernels(), Operands::kFp32);
}

/// With operands of bf16, by the chosen kernels: in pairs where that is sooner.
void BM_GemmOfBf16(benchmark::State& state, GemmLayout layout) {
  MeasureGemm(state, layout, ChosenHostKernels(), Operands::kBf16);
}

void Names(benchmark::internal::Benchmark* bench) { bench->ArgNames({"M", "N", "K", "threads"})->UseManualTime(); }

/// [M, N, K] on one thread and on two.
void On(benchmark::internal::Benchmark* bench, std::initializer_list<std::vector<int64_t>> shapes) {
  Names(bench);
  for (const int64_t threads : {1, 2}) {
    for (std::vector<int64_t> shape : shapes) {
      shape.push_back(threads);
      bench->Args(shape);
    }
  }
}

// Squares, wide and deep; then a GPT of d = 384 and 768 with 1024 tokens, and the smallest (d = 64, 32 tokens).
BENCHMARK_CAPTURE(BM_Gemm, nn, GemmLayout::kNN)->Apply([](auto* bench) {
  On(bench, {{512, 512, 512},
             {1024, 1024, 1024},
             {2048, 3072, 768},
             {2048, 768, 3072},
             {1024, 384, 1536},
             {1024, 768, 3072},
             {32, 64, 256}});
});
BENCHMARK_CAPTURE(BM_Gemm, nt, GemmLayout::kNT)->Apply([](auto* bench) {
  On(bench, {{1024, 1152, 384}, {1024, 1536, 384}, {1024, 3072, 768}, {32, 64, 64}, {32, 256, 64}});
});
BENCHMARK_CAPTURE(BM_Gemm, tn, GemmLayout::kTN)->Apply([](auto* bench) {
  On(bench, {{1536, 384, 1024}, {3072, 768, 1024}, {256, 64, 32}});
});
BENCHMARK_CAPTURE(BM_GemmOfBf16, nn, GemmLayout::kNN)->Apply([](auto* bench) { On(bench, {{1024, 1024, 1024}}); });
BENCHMARK_CAPTURE(BM_GemmOfBf16, nt, GemmLayout::kNT)->Apply([](auto* bench) { On(bench, {{1024, 3072, 768}}); });

}  // namespace
}  // namespace zerocts
