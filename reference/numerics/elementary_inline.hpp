// exp, log and tanh as inline bodies for loops that the compiler turns into SIMD: no branch, no table, no call.
// Correctly rounded for every fp32 input: elementary_exhaustive proves it against MPFR. IEEE double + - * / and fma.
#pragma once
#include <cstdint>

#include "reference/numerics/bits.hpp"

namespace zerocts::elementary {

inline constexpr double kLog2E = 0x1.71547652b82fep+0;
/// x + kShift holds round(x) in its low mantissa bits, (x + kShift) - kShift is round(x).
inline constexpr double kShift = 0x1.8p52;

consteval double InverseFactorial(int n) {
  double factorial = 1.0;  // exact up to 22!
  for (int i = 2; i <= n; ++i) factorial *= i;
  return 1.0 / factorial;
}

/// Horner's rule from a partial sum: coefficients 1/n! of exp for n = First, First - 1, .., Last.
template <int First, int Last>
ZEROCTS_INLINE double ExpSeries(double sum, double r) {
  sum = __builtin_fma(sum, r, InverseFactorial(First));
  if constexpr (First > Last) sum = ExpSeries<First - 1, Last>(sum, r);
  return sum;
}

/// exp(x) in double to about 2^-52 for |x| <= 700: x = k ln 2 + r, |r| < 0.35; 2^k enters by the exponent bits.
ZEROCTS_INLINE double ExpOfDouble(double x) {
  const double shifted = __builtin_fma(x, kLog2E, kShift);
  const double k = shifted - kShift;
  double r = __builtin_fma(k, -0x1.62e42fefa39efp-1, x);  // ln 2 in two parts
  r = __builtin_fma(k, -0x1.abc9e3b39803fp-56, r);
  const double power = ExpSeries<12, 0>(InverseFactorial(13), r);
  return DoubleFromBits(DoubleBits(power) + (DoubleBits(shifted) << 52));
}

ZEROCTS_INLINE float Exp(float x) {
  double clamped = x;  // beyond 110 the result is 0 or infinity in fp32
  clamped = clamped > 110.0 ? 110.0 : clamped;
  clamped = clamped < -110.0 ? -110.0 : clamped;
  const float result = static_cast<float>(ExpOfDouble(clamped));
  return x != x ? x : result;
}

ZEROCTS_INLINE float Tanh(float x) {
  double a = x < 0.0f ? -static_cast<double>(x) : static_cast<double>(x);
  a = a > 10.0 ? 10.0 : a;
  const double r = a + a;
  const double large = 1.0 - 2.0 / (ExpOfDouble(r) + 1.0);
  const double tail = ExpSeries<13, 2>(InverseFactorial(14), r);  // (exp(r) - 1 - r) / r^2
  const double expm1 = __builtin_fma(tail * r, r, r);
  const double small = expm1 / (expm1 + 2.0);
  const double magnitude = a < 0.35 ? small : large;
  const float result = static_cast<float>(x < 0.0f ? -magnitude : magnitude);
  return x != x || x == 0.0f ? x : result;
}

/// sum of w^n / (2n + 1) for n = First, First - 1, .., Last: the series of atanh(s) / s in w = s^2.
template <int First, int Last>
ZEROCTS_INLINE double AtanhSeries(double sum, double w) {
  sum = __builtin_fma(sum, w, 1.0 / (2 * First + 1));
  if constexpr (First > Last) sum = AtanhSeries<First - 1, Last>(sum, w);
  return sum;
}

/// y + rest rounded to odd: the last bit is set when the sum is not y. Rounding that to fp32 is rounding the sum once.
/// Needs y != 0.
ZEROCTS_INLINE double RoundToOdd(double y, double rest) {
  const uint64_t bits = DoubleBits(y);
  const bool leave = rest == 0.0 || (bits & 1) != 0;
  const uint64_t away = (rest > 0.0) == (y > 0.0) ? 1 : UINT64_MAX;
  return DoubleFromBits(leave ? bits : bits + away);
}

/// x = 2^k z, z in [sqrt(1/2), sqrt(2)]: log x = k ln 2 + 2 atanh((z - 1) / (z + 1)), to about 2^-65.
ZEROCTS_INLINE double LogOfPositive(double x) {
  const uint64_t bits = DoubleBits(x);
  const double mantissa = DoubleFromBits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  const bool is_upper_half = mantissa > 0x1.6a09e667f3bcdp+0;
  const double z = is_upper_half ? 0.5 * mantissa : mantissa;
  const double k = static_cast<int32_t>(bits >> 52) - 1023 + static_cast<int32_t>(is_upper_half);

  const double numerator = z - 1.0, denominator = z + 1.0;
  const double denominator_rest = 1.0 - (denominator - z);
  const double s = numerator / denominator;
  const double s_rest = (__builtin_fma(-s, denominator, numerator) - s * denominator_rest) / denominator;
  const double w = s * s;
  const double series = AtanhSeries<10, 1>(1.0 / 23, w);  // (atanh(s) / s - 1) / w

  const double head = k * 0x1.62e42fefa3800p-1;  // exact: this part of ln 2 has 42 bits
  const double main = 2.0 * s;
  const double high = head + main;
  const double high_rest = head != 0.0 ? (head - high) + main : 0.0;  // |head| > |main| unless it is 0
  const double low = high_rest + (2.0 * __builtin_fma(series, w * s, s_rest) + k * 0x1.ef35793c76730p-45);
  const double y = high + low;
  return RoundToOdd(y, (high - y) + low);
}

ZEROCTS_INLINE float Log(float x) {
  float result = static_cast<float>(LogOfPositive(x));
  result = x == 1.0f ? 0.0f : result;
  result = x == __builtin_inff() ? x : result;
  result = x == 0.0f ? -__builtin_inff() : result;
  result = x < 0.0f ? FromBits(kCanonicalNan) : result;
  return x != x ? x : result;
}

}  // namespace zerocts::elementary
