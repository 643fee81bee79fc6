// Layers of a GPT. The peer of what only reads and writes memory is a copy of the same tensor in the same run.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench/micro/uniform.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

/// R rows of C channels: what fits a cache (tokens of the small model), and what does not.
void Shapes(benchmark::internal::Benchmark* bench) { bench->Args({1024, 384})->Args({16384, 768}); }

/// `bytes`: what the operation has to read and write per element of a tensor [R, C].
template <typename Operation>
void MeasureLayer(benchmark::State& state, int64_t bytes, Operation operation) {
  for (auto _ : state) {
    operation();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * state.range(1) * bytes);
}

void BM_CopyRows(benchmark::State& state) {
  const int64_t numel = state.range(0) * state.range(1);
  const std::vector<float> in = Uniform(numel, 1);
  std::vector<float> out(numel);
  MeasureLayer(state, 8, [&] { HostOps().Copy(out.data(), in.data(), numel * 4); });
}
BENCHMARK(BM_CopyRows)->Apply(Shapes);

/// Reads once, writes next to nothing.
void BM_ReadRows(benchmark::State& state) {
  const int64_t numel = state.range(0) * state.range(1);
  const std::vector<float> in = Uniform(numel, 1);
  MeasureLayer(state, 4, [&] {
    uint64_t sums[8] = {};
    const auto* words = reinterpret_cast<const uint64_t*>(in.data());
    for (int64_t i = 0; i + 8 <= numel / 2; i += 8) {
      for (int j = 0; j < 8; ++j) sums[j] += words[i + j];
    }
    benchmark::DoNotOptimize(sums);
  });
}
BENCHMARK(BM_ReadRows)->Apply(Shapes);

void BM_BiasGradient(benchmark::State& state) {
  const int64_t R = state.range(0), C = state.range(1);
  const std::vector<float> upstream = Uniform(R * C, 1);
  std::vector<float> out(C);
  MeasureLayer(state, 4, [&] { HostOps().BiasGradient(out.data(), upstream.data(), R, C); });
}
BENCHMARK(BM_BiasGradient)->Apply(Shapes);

void BM_LayerNorm(benchmark::State& state) {
  const int64_t R = state.range(0), C = state.range(1);
  const std::vector<float> in = Uniform(R * C, 1), weight = Uniform(C, 2), bias = Uniform(C, 3);
  std::vector<float> out(R * C), mean(R), rstd(R);
  MeasureLayer(state, 8, [&] {
    HostOps().LayerNorm(out.data(), mean.data(), rstd.data(), in.data(), weight.data(), bias.data(), 1e-5f, R, C);
  });
}
BENCHMARK(BM_LayerNorm)->Apply(Shapes);

void BM_LayerNormGradient(benchmark::State& state) {
  const int64_t R = state.range(0), C = state.range(1);
  const std::vector<float> in = Uniform(R * C, 1), upstream = Uniform(R * C, 2), weight = Uniform(C, 3),
                           mean = Uniform(R, 4), rstd = Uniform(R, 5);
  std::vector<float> downstream(R * C), weight_gradient(C), bias_gradient(C);
  MeasureLayer(state, 12, [&] {
    HostOps().LayerNormGradient(downstream.data(), weight_gradient.data(), bias_gradient.data(), upstream.data(),
                                in.data(), mean.data(), rstd.data(), weight.data(), R, C);
  });
}
BENCHMARK(BM_LayerNormGradient)->Apply(Shapes);

void BM_SoftmaxCrossEntropy(benchmark::State& state) {
  const int64_t R = state.range(0), V = state.range(1);
  const std::vector<float> logits = Uniform(R * V, 1);
  std::vector<float> upstream(R * V), loss(R);
  const std::vector<int32_t> targets(R, 7);
  MeasureLayer(state, 8, [&] {
    HostOps().SoftmaxCrossEntropy(loss.data(), upstream.data(), logits.data(), targets.data(), R, V);
  });
}
BENCHMARK(BM_SoftmaxCrossEntropy)->Apply(Shapes);

void BM_Gelu(benchmark::State& state) {
  const int64_t numel = state.range(0) * state.range(1);
  const std::vector<float> in = Uniform(numel, 1);
  std::vector<float> out(numel), tanh(numel);
  MeasureLayer(state, 12, [&] { HostOps().Gelu(out.data(), tanh.data(), in.data(), numel); });
}
BENCHMARK(BM_Gelu)->Apply(Shapes);

// --- attention: B, T, heads, D; multiplications and additions at or below the diagonal

struct Attention {
  explicit Attention(const benchmark::State& state)
      : s{state.range(0), state.range(1), state.range(2), state.range(2) * state.range(3)} {}
  AttentionSizes s;
  std::vector<float> qkv = Uniform(s.qkv_numel(), 1), upstream = Uniform(s.out_numel(), 2);
  std::vector<float> out = std::vector<float>(s.out_numel()), qkv_gradient = std::vector<float>(s.qkv_numel());
  std::vector<float> probabilities = std::vector<float>(s.squares_numel());

  void Forward() { HostOps().CausalAttention(out.data(), probabilities.data(), qkv.data(), false, s); }
  void Backward() {
    HostOps().CausalAttentionGradient(qkv_gradient.data(), upstream.data(), qkv.data(), probabilities.data(), false, s);
  }
  /// Counts the operations of `products` products of a triangle of T (T + 1) / 2 elements with D channels.
  double Flops(int products) const { return static_cast<double>(products) * s.B * s.T * (s.T + 1) * s.C; }
};

void BM_CausalAttention(benchmark::State& state) {
  Attention attention(state);
  for (auto _ : state) attention.Forward();
  state.counters["flop/s"] = benchmark::Counter(attention.Flops(2) * state.iterations(), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_CausalAttention)->Args({8, 32, 4, 16})->Args({4, 256, 6, 64});

void BM_CausalAttentionGradient(benchmark::State& state) {
  Attention attention(state);
  attention.Forward();
  for (auto _ : state) attention.Backward();
  state.counters["flop/s"] = benchmark::Counter(attention.Flops(4) * state.iterations(), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_CausalAttentionGradient)->Args({8, 32, 4, 16})->Args({4, 256, 6, 64});

}  // namespace
}  // namespace zerocts
