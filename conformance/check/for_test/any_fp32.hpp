// Any evaluation of a formula in fp32, which bounds must hold for.
#pragma once
#include <cmath>
#include <random>
#include <vector>

#include "conformance/check/bounded/optimizer_walk.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts {

/// What a program in fp32 may make of a formula: sums as random trees, quotients by a reciprocal or not, either of two
/// equal expressions, functions that are up to 3 units off. Where bf16 may round, it does or not.
struct AnyFp32 {
  static inline std::mt19937 random;
  static int Pick(int choices) { return static_cast<int>(random() % static_cast<unsigned>(choices)); }

  float value = 0.0f;

  AnyFp32() = default;
  AnyFp32(double constant) : value(static_cast<float>(constant)) {}  // NOLINT: numbers mix freely

  friend AnyFp32 operator+(AnyFp32 a, AnyFp32 b) { return a.value + b.value; }
  friend AnyFp32 operator-(AnyFp32 a, AnyFp32 b) { return a.value - b.value; }
  friend AnyFp32 operator*(AnyFp32 a, AnyFp32 b) { return a.value * b.value; }
  friend AnyFp32 operator/(AnyFp32 a, AnyFp32 b) { return Pick(2) ? a.value / b.value : a.value * (1.0f / b.value); }
};

inline AnyFp32 Off(float value) { return value * (1.0f + static_cast<float>(AnyFp32::Pick(7) - 3) * 0x1p-23f); }
inline AnyFp32 Exp(AnyFp32 x) { return Off(std::exp(x.value)); }
inline AnyFp32 Log(AnyFp32 x) { return Off(std::log(x.value)); }
inline AnyFp32 Tanh(AnyFp32 x) { return Off(std::tanh(x.value)); }
inline AnyFp32 Sqrt(AnyFp32 x) { return std::sqrt(x.value); }
inline AnyFp32 Either(AnyFp32 a, AnyFp32 b) { return AnyFp32::Pick(2) ? a : b; }
inline double ValueOf(AnyFp32 x) { return x.value; }
inline AnyFp32 StoredInBf16(AnyFp32 x) { return RoundToBf16(x.value); }
inline AnyFp32 ToBf16Error(AnyFp32 x) { return AnyFp32::Pick(2) ? x : StoredInBf16(x); }

inline AnyFp32 Magnitude(AnyFp32 x) { return std::fabs(x.value); }
inline AnyFp32 Smaller(AnyFp32 a, AnyFp32 b) { return std::fmin(a.value, b.value); }
inline AnyFp32 Larger(AnyFp32 a, AnyFp32 b) { return std::fmax(a.value, b.value); }
inline AnyFp32 WhereLarger(AnyFp32 a, AnyFp32 b, AnyFp32 above, AnyFp32 otherwise) {
  return a.value > b.value ? above : otherwise;
}

/// As a random tree, whose partial sums are stored by `store`.
template <typename Store>
inline AnyFp32 SumOf(std::vector<AnyFp32> terms, Store store) {
  if (terms.empty()) return {};
  while (terms.size() > 1) {
    const auto i = static_cast<size_t>(AnyFp32::Pick(static_cast<int>(terms.size()) - 1));
    terms[i] = store(terms[i] + terms.back());
    terms.pop_back();
  }
  return terms[0];
}
inline AnyFp32 Sum(const std::vector<AnyFp32>& terms) {
  return SumOf(terms, [](AnyFp32 x) { return x; });
}
inline AnyFp32 SumInBf16(const std::vector<AnyFp32>& terms) {
  return SumOf(terms, [](AnyFp32 x) { return ToBf16Error(x); });
}

/// As torch has it, or with the moments corrected before.
inline AnyFp32 AdamStep(const AdamConstants& k, AnyFp32 first, AnyFp32 second, AnyFp32 gradient) {
  const AnyFp32 beta1(k.beta1), beta2(k.beta2), one(1.0), eps(k.eps), of_first(k.of_first), of_second(k.of_second);
  const AnyFp32 mean = beta1 * first + (one - beta1) * gradient;
  const AnyFp32 square = beta2 * second + (one - beta2) * gradient * gradient;
  if (AnyFp32::Pick(2)) return (mean / of_first) / (Sqrt(square / of_second) + eps);
  return mean / (Sqrt(square) / Sqrt(of_second) + eps) / of_first;
}

}  // namespace zerocts
