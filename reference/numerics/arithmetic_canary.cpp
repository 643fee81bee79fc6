#include "reference/numerics/arithmetic_canary.hpp"

#include <cmath>

#include "reference/numerics/bits.hpp"
#include "reference/numerics/contraction_probe.hpp"

namespace zerocts {
namespace {

// Operands pass through volatile, so that nothing is computed at compile time under the compiler's own arithmetic.
float Opaque(float x) {
  volatile float opaque = x;
  return opaque;
}

bool FlushesToZero() {
  const float smallest_normal = Opaque(0x1p-126f), smallest = Opaque(FromBits(1));
  const bool result_flushed = Bits(smallest_normal * Opaque(0.5f)) != 0x00400000u;
  const bool input_flushed = Bits(smallest * Opaque(0x1p23f)) != Bits(0x1p-126f);
  return result_flushed || input_flushed;
}

bool RoundsToNearest() {
  const bool third = Bits(Opaque(1.0f) / Opaque(3.0f)) == 0x3eaaaaabu;  // rounding down or to zero gives ..aa
  const bool root = Bits(std::sqrt(Opaque(2.0f))) == 0x3fb504f3u;       // rounding up gives ..f4
  return third && root;
}

bool FmaIsFused() { return std::fma(Opaque(0x1.001p0f), Opaque(0x1.001p0f), Opaque(-0x1.002p0f)) == 0x1p-24f; }

}  // namespace

ArithmeticReport CheckArithmetic() {
  return {.contracts = ContractsProductAndSum(),
          .flushes_to_zero = FlushesToZero(),
          .rounds_to_nearest = RoundsToNearest(),
          .fma_is_fused = FmaIsFused()};
}

std::string Describe(const ArithmeticReport& report) {
  std::string problems;
  const auto say = [&](bool is_wrong, const char* sentence) {
    if (is_wrong) problems.append(problems.empty() ? "" : " ").append(sentence);
  };
  say(report.contracts, "Products and sums are fused without being asked: build with -ffp-contract=off.");
  say(report.flushes_to_zero,
      "Subnormal numbers become zero on this thread: usually a library built with -ffast-math was loaded, which sets "
      "FTZ and DAZ in MXCSR.");
  say(!report.rounds_to_nearest,
      "Division or square root is not rounded to nearest: look for -ffast-math or a call of fesetround.");
  say(!report.fma_is_fused, "std::fma rounds twice: the C library's fma is not IEEE.");
  return problems;
}

}  // namespace zerocts
