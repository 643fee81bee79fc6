// What the arithmetic of this process really does, found by running it: contraction, flush to zero, rounding.
#pragma once
#include <string>

namespace zerocts {

struct ArithmeticReport {
  bool contracts = false;         // a*b+c was fused without being asked
  bool flushes_to_zero = false;   // a subnormal result or input became 0
  bool rounds_to_nearest = true;  // 1/3 and sqrt(2) have the IEEE bits
  bool fma_is_fused = true;       // std::fma rounds once
  bool ok() const { return !contracts && !flushes_to_zero && rounds_to_nearest && fma_is_fused; }
};

/// Run on the calling thread (flush-to-zero is a state of the thread). dlopen of a library built with -ffast-math turns
/// it on.
ArithmeticReport CheckArithmetic();

/// "" when ok, else one sentence that says what is wrong and the usual cause.
std::string Describe(const ArithmeticReport& report);

}  // namespace zerocts
