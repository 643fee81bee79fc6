// x86-64: the CPU is asked, once, for the features that each kernel file was compiled with.
#include <algorithm>
#include <chrono>

#include "reference/numerics/bf16.hpp"
#include "reference/numerics/counter_rng.hpp"
#include "reference/ops/gemm.hpp"
#include "reference/ops/kernel_choices.hpp"

namespace zerocts {
namespace {

bool SupportsV3() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool SupportsV4() {
  return SupportsV3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

const KernelTable& V4WithPairs() {
  static const KernelTable table = [] {
    KernelTable pairs = kX86_64V4Kernels;
    pairs.name = "x86-64-v4-bf16";
    pairs.gemm_pairs = &kX86_64Bf16Pairs;
    return pairs;
  }();
  return table;
}

/// One product of ordinary bf16 numbers, and how long it took.
struct Trial {
  std::vector<float> product;
  double seconds;
};

Trial Try(const KernelTable& kernels) {
  constexpr int64_t M = 56, N = 64, K = 257;
  constexpr int kRepeats = 8;  // the first ones wake the wide units up
  std::vector<float> a(M * K), b(K * N);
  for (int64_t i = 0; i < M * K; ++i) a[i] = RoundToBf16(RandomUniform(1, 1, i));
  for (int64_t i = 0; i < K * N; ++i) b[i] = RoundToBf16(RandomUniform(1, 2, i));
  Trial trial{std::vector<float>(M * N), 1.0};
  Threads alone(1);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    Gemm(kernels, alone, {trial.product.data(), N}, {a.data(), K, 1}, {b.data(), N, 1}, M, N, K, Operands::kBf16);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    trial.seconds = std::min(trial.seconds, seconds.count());
  }
  return trial;
}

/// Pairs are twice as fast as fmas on some CPUs, on others half as fast (microcode); where they have other bits they
/// are no choice.
void AddPairs(std::vector<const KernelTable*>& tables) {
  const Trial pairs = Try(V4WithPairs()), fmas = Try(kX86_64V4Kernels);
  if (pairs.product != fmas.product) return;
  tables.insert(pairs.seconds < fmas.seconds ? tables.end() : tables.end() - 1, &V4WithPairs());
}

std::vector<const KernelTable*> AskTheCpu() {
  std::vector<const KernelTable*> tables = {&kPortableKernels};
  // The features named here are the flags of each file in CMakeLists.txt.
  if (SupportsV3()) tables.push_back(&kX86_64V3Kernels);
  if (SupportsV4()) tables.push_back(&kX86_64V4Kernels);
  if (SupportsV4() && __builtin_cpu_supports("avx512bf16")) AddPairs(tables);
  return tables;
}

}  // namespace

std::vector<const KernelTable*> RunnableKernels() {
  static const std::vector<const KernelTable*> tables = AskTheCpu();
  return tables;
}

}  // namespace zerocts
