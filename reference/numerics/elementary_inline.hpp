// exp, log and tanh as inline bodies for loops that the compiler turns into SIMD: no branch, no table, no call.
// Correctly rounded for every fp32 input: elementary_exhaustive proves it against MPFR. IEEE double + - * / and fma.
#pragma once
#include <cstdint>

#include "reference/numerics/bits.hpp"

namespace zerocts::elementary {

inline constexpr double kLog2E = 0x1.71547652b82fep+0;
/// x + kShift holds round(x) in its low mantissa bits, (x + kShift) - kShift is round(x).
inline constexpr double kShift = 0x1.8p52;

constexpr double Factorial(int n) {
  double factorial = 1.0;  // exact up to 22!
  for (int i = 2; i <= n; ++i) factorial *= i;
  return factorial;
}

/// 1 / n!, a constant of the program and never computed by it.
template <int n>
inline constexpr double kInverseFactorial = 1.0 / Factorial(n);

/// Horner's rule from a partial sum: coefficients 1/n! of exp for n = First, First - 2, .., Last.
template <int First, int Last>
ZEROCTS_INLINE double EverySecondTerm(double sum, double square) {
  sum = __builtin_fma(sum, square, kInverseFactorial<First>);
  if constexpr (First > Last) sum = EverySecondTerm<First - 2, Last>(sum, square);
  return sum;
}

/// sum of r^(n - 2) / n! for n = 2 .. Last: (exp(r) - 1 - r) / r^2. Even and odd terms have chains of their own, half
/// as long: an element waits for them, and few elements fit between a CPU's first and its last open instruction.
template <int Last>
ZEROCTS_INLINE double ExpTail(double r) {
  static_assert(Last % 2 == 1);
  const double square = r * r;
  const double odd = EverySecondTerm<Last - 2, 3>(kInverseFactorial<Last>, square);
  const double even = EverySecondTerm<Last - 3, 2>(kInverseFactorial<Last - 1>, square);
  return __builtin_fma(odd, r, even);
}

/// x = k ln 2 + r, |r| < 0.35, |x| <= 700. The low bits of `shifted` hold k.
struct Reduced {
  double shifted, r;
};
ZEROCTS_INLINE Reduced ReduceByLn2(double x) {
  const double shifted = __builtin_fma(x, kLog2E, kShift);
  const double k = shifted - kShift;
  const double r = __builtin_fma(k, -0x1.62e42fefa39efp-1, x);  // ln 2 in two parts
  return {shifted, __builtin_fma(k, -0x1.abc9e3b39803fp-56, r)};
}

/// 1 / x to about 2^-47, |x| in the range of fp32: a division of floats costs a quarter of one of doubles.
ZEROCTS_INLINE double ApproximateReciprocal(double x) {
  const double guess = 1.0f / static_cast<float>(x);
  return __builtin_fma(guess, __builtin_fma(-guess, x, 1.0), guess);
}

ZEROCTS_INLINE float Exp(float x) {
  float clamped = x < 110.0f ? x : 110.0f;  // beyond 110 the result is 0 or infinity in fp32
  clamped = clamped > -110.0f ? clamped : -110.0f;
  const auto [shifted, r] = ReduceByLn2(clamped);
  const double power = __builtin_fma(__builtin_fma(ExpTail<13>(r), r, 1.0), r, 1.0);
  // 2^k enters by the exponent bits.
  const auto result = static_cast<float>(DoubleFromBits(DoubleBits(power) + (DoubleBits(shifted) << 52)));
  return x != x ? x : result;
}

/// m / (m + 2), m = exp(2 |x|) - 1 = 2^k (exp(r) - 1) + (2^k - 1), with the sign of x.
ZEROCTS_INLINE float Tanh(float x) {
  float a = __builtin_fabsf(x);
  a = a < 10.0f ? a : 10.0f;  // beyond 10 the result is 1 in fp32
  const auto [shifted, r] = ReduceByLn2(a + a);
  const double expm1 = __builtin_fma(ExpTail<13>(r) * r, r, r);
  const double two_to_k = DoubleFromBits((DoubleBits(shifted) << 52) + 0x3ff0000000000000u);
  const double m = __builtin_fma(two_to_k, expm1, two_to_k - 1.0);

  const double denominator = m + 2.0, reciprocal = ApproximateReciprocal(denominator);
  const double quotient = m * reciprocal;
  const double rest = __builtin_fma(-quotient, denominator, m);
  const auto magnitude = static_cast<float>(__builtin_fma(rest, reciprocal, quotient));
  return x != x ? x : __builtin_copysignf(magnitude, x);
}

/// sum of w^n / (2n + 1) for n = First, First - 1, .., Last: the series of atanh(s) / s in w = s^2.
template <int First, int Last>
ZEROCTS_INLINE double AtanhSeries(double sum, double w) {
  sum = __builtin_fma(sum, w, 1.0 / (2 * First + 1));
  if constexpr (First > Last) sum = AtanhSeries<First - 1, Last>(sum, w);
  return sum;
}

/// y + rest with an odd last bit: an odd y stays, an even one goes one step towards the sum. Rounding that to fp32 is
/// rounding the sum once, because a boundary between floats is even. (A rest of 0 leaves the boundary too: an
/// irrational number is never on it. 0 becomes 2^-1074, which rounds to +0: log 1.)
ZEROCTS_INLINE double RoundToOdd(double y, double rest) {
  const uint64_t is_towards_zero = (DoubleBits(y) ^ DoubleBits(rest)) >> 63;
  return DoubleFromBits((DoubleBits(y) - is_towards_zero) | 1);
}

/// x = 2^k z, z in [sqrt(1/2), sqrt(2)): log x = k ln 2 + 2 atanh((z - 1) / (z + 1)), to about 2^-57 of the second
/// term.
ZEROCTS_INLINE double LogOfPositive(float x) {
  constexpr uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdu, kOne = 0x3ff0000000000000u, kMantissa = 0x000fffffffffffffu;
  const uint64_t offset_bits = DoubleBits(x) + (kOne - kRootOfHalf);
  const double z = DoubleFromBits((offset_bits & kMantissa) + kRootOfHalf);
  // The exponent becomes the low mantissa bits of 2^52.
  const double k = DoubleFromBits((offset_bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);

  const double numerator = z - 1.0, denominator = z + 1.0;  // exact: z has 24 bits
  const double reciprocal = ApproximateReciprocal(denominator);
  const double s = numerator * reciprocal;  // to about 2^-47
  const double s_rest = __builtin_fma(-s, denominator, numerator) * reciprocal;
  const double w = s * s;
  const double series = AtanhSeries<10, 1>(1.0 / 23, w);                                    // (atanh(s) / s - 1) / w
  const double main_rest = __builtin_fma(series, w * s, __builtin_fma(s_rest, w, s_rest));  // atanh' = 1 + w + ..

  const double head = k * 0x1.62e42fefa3800p-1;  // exact: this part of ln 2 has 42 bits
  const double main = 2.0 * s;
  const double high = head + main;
  const double high_rest = (head - high) + main;  // exact: |head| > |main|, or it is 0
  const double low = high_rest + __builtin_fma(2.0, main_rest, k * 0x1.ef35793c76730p-45);
  const double y = high + low;
  return RoundToOdd(y, (high - y) + low);
}

ZEROCTS_INLINE float Log(float x) {
  float result = static_cast<float>(LogOfPositive(x));
  const float of_no_positive = x == 0.0f ? -__builtin_inff() : FromBits(kCanonicalNan);
  result = x > 0.0f ? result : of_no_positive;
  return x < __builtin_inff() ? result : x;  // +inf and NaN are their own results
}

}  // namespace zerocts::elementary
