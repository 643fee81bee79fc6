// The fma units of x86-64: enough independent chains in registers to keep two units busy.
#include <immintrin.h>

#include <algorithm>

#include "bench/bounds/peers.hpp"
#include "bench/timing/timing.hpp"

namespace zerocts {
namespace {

constexpr int kChains = 12, kRounds = 20000, kRepeats = 50;

[[gnu::target("avx512f")]] void FmasOf16() {
  __m512 sums[kChains], factor = _mm512_set1_ps(0.5f);
  for (__m512& sum : sums) sum = factor;
  for (int round = 0; round < kRounds; ++round) {
    asm volatile("" : "+v"(factor));  // not known to the compiler, so nothing is computed ahead
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm512_fmadd_ps(factor, factor, sums[i]);
  }
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) asm volatile("" : : "v"(sums[i]));
}

[[gnu::target("avx2,fma")]] void FmasOf8() {
  __m256 sums[kChains], factor = _mm256_set1_ps(0.5f);
  for (__m256& sum : sums) sum = factor;
  for (int round = 0; round < kRounds; ++round) {
    asm volatile("" : "+x"(factor));
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = _mm256_fmadd_ps(factor, factor, sums[i]);
  }
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) asm volatile("" : : "x"(sums[i]));
}

double Rate(void (*fmas)(), int lanes) {
  double best = 1.0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    best = std::min(best, SecondsOf(1, fmas));
  }
  return 2.0 * lanes * kChains * kRounds / best;
}

}  // namespace

double FmaPeak() {
  if (__builtin_cpu_supports("avx512f")) return Rate(FmasOf16, 16);
  if (__builtin_cpu_supports("fma")) return Rate(FmasOf8, 8);
  return 0.0;
}

}  // namespace zerocts
