// The powers of two by which the data of an experiment may be multiplied: all values can be represented, sums are
// finite.
#pragma once
#include "reference/experiment/experiment.hpp"

namespace zerocts {

inline constexpr int kSmallestExponent = -149;      // of a subnormal fp32
inline constexpr int kSmallestExponentBf16 = -133;  // of a subnormal bf16
inline constexpr int kSmallestNormalExponent = -126;

struct ExponentRange {
  int smallest, largest;
  bool Contains(int exponent) const { return smallest <= exponent && exponent <= largest; }
};

/// Given gradients, where exact sources stay exact.
ExponentRange GradientExponents(const Experiment& experiment);
/// Initial values.
ExponentRange InitialExponents();

/// Two to this power is more than any micro-batch's part of the mean, and than their sum, before they are multiplied by
/// 2^gradient_exponent.
int MeanExponent(const Experiment& experiment);
int SumExponent(const Experiment& experiment);

}  // namespace zerocts
