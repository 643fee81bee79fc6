// exp, log and tanh per element, correctly rounded and in vectors, for every kernel table; the peers are the C
// library's expf, logf and tanhf, which round wrongly now and then.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/numerics/counter_rng.hpp"
#include "reference/ops/kernel_choices.hpp"

namespace zerocts {
namespace {

constexpr int64_t kNumel = 4096;  // in and out stay in the first cache

struct Function {
  const char* name;
  void (*LayerKernels::*ours)(float* out, const float* in, int64_t numel);
  float (*peer)(float);
  float low, high;  // inputs are uniform in between, where no result is trivial
};

const Function kFunctions[] = {{"exp", &LayerKernels::exp, std::exp, -80.0f, 80.0f},
                               {"log", &LayerKernels::log, std::log, 1e-3f, 1e3f},
                               {"tanh", &LayerKernels::tanh, std::tanh, -4.0f, 4.0f}};

std::vector<float> Inputs(const Function& function) {
  std::vector<float> values(kNumel);
  const float middle = 0.5f * (function.low + function.high), half = 0.5f * (function.high - function.low);
  for (int64_t i = 0; i < kNumel; ++i) values[i] = middle + half * RandomUniform(1, 1, i);
  return values;
}

template <typename Evaluate>
void MeasureElementary(benchmark::State& state, const Function& function, Evaluate evaluate) {
  const std::vector<float> in = Inputs(function);
  std::vector<float> out(kNumel);
  for (auto _ : state) {
    evaluate(out.data(), in.data());
    benchmark::ClobberMemory();
  }
  state.counters["s/element"] = benchmark::Counter(static_cast<double>(state.iterations() * kNumel),
                                                   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const bool kRegistered = [] {
  for (const Function& function : kFunctions) {
    const std::string name = "BM_Elementary/" + std::string(function.name);
    for (const KernelTable* table : RunnableKernels()) {
      benchmark::RegisterBenchmark((name + "/" + table->name).c_str(), [&function, table](benchmark::State& state) {
        MeasureElementary(state, function,
                          [&](float* out, const float* in) { (table->layers.*function.ours)(out, in, kNumel); });
      });
    }
    benchmark::RegisterBenchmark((name + "/libm").c_str(), [&function](benchmark::State& state) {
      MeasureElementary(state, function, [&](float* out, const float* in) {
        for (int64_t i = 0; i < kNumel; ++i) out[i] = function.peer(in[i]);
      });
    });
  }
  return true;
}();

}  // namespace
}  // namespace zerocts
