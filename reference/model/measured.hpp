// A real number together with a bound on the error of evaluating it in floating point (running error analysis, Higham,
// Accuracy and Stability of Numerical Algorithms, section 3.3). With such numbers a formula derives its own bound: that
// of our model in unit tests, that of anybody's in conformance/check.
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "reference/numerics/bf16.hpp"

namespace zerocts {

/// Every operation errs by at most kUnit relative to its result: two roundings to fp32, one for the operation and one
/// for a constant or for another association of the same product. exp, log and tanh err by at most kFunctionUnits of
/// these; what is below kSmallest may be flushed to zero. The value itself is carried in double, far more exact than
/// that.
template <int kFunctionUnits>
struct RunningError {
  static constexpr double kUnit = 0x1p-23;
  static constexpr double kBf16Unit = 0x1p-8;
  static constexpr double kSmallest = 0x1p-126;

  double value = 0.0;
  double error = 0.0;  // absolute

  RunningError() = default;
  RunningError(double exact) : value(exact) {}  // NOLINT: numbers mix freely
  RunningError(double v, double e) : value(v), error(e) {}
  static RunningError Rounded(double v, double propagated, int units = 1) {
    return {v, propagated + units * kUnit * (std::fabs(v) + propagated) + kSmallest};
  }
  static RunningError OfFunction(double v, double propagated) { return Rounded(v, propagated, kFunctionUnits); }

  friend RunningError operator+(RunningError a, RunningError b) {
    return Rounded(a.value + b.value, a.error + b.error);
  }
  friend RunningError operator-(RunningError a, RunningError b) {
    return Rounded(a.value - b.value, a.error + b.error);
  }
  friend RunningError operator*(RunningError a, RunningError b) {
    return Rounded(a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
  }
  friend RunningError operator/(RunningError a, RunningError b) {
    const double quotient = a.value / b.value;
    return Rounded(quotient, (a.error + std::fabs(quotient) * b.error) / (std::fabs(b.value) - b.error));
  }
};

/// What our own model is measured with: its functions are correctly rounded.
using Measured = RunningError<1>;

template <int kUnits>
RunningError<kUnits> Exp(RunningError<kUnits> x) {
  return RunningError<kUnits>::OfFunction(std::exp(x.value), std::exp(x.value) * std::expm1(x.error));
}
template <int kUnits>
RunningError<kUnits> Log(RunningError<kUnits> x) {
  return RunningError<kUnits>::OfFunction(std::log(x.value), x.error / (x.value - x.error));
}
template <int kUnits>
RunningError<kUnits> Tanh(RunningError<kUnits> x) {
  return RunningError<kUnits>::OfFunction(std::tanh(x.value), x.error);  // its slope is at most 1
}
template <int kUnits>
RunningError<kUnits> Sqrt(RunningError<kUnits> x) {
  const double root = std::sqrt(x.value);
  return RunningError<kUnits>::Rounded(root, x.error / (root + std::sqrt(std::fmax(0.0, x.value - x.error))));
}
inline double Exp(double x) { return std::exp(x); }
inline double Log(double x) { return std::log(x); }
inline double Tanh(double x) { return std::tanh(x); }
inline double Sqrt(double x) { return std::sqrt(x); }

/// A sum in any order: n additions, each of a partial sum that is at most the sum of all magnitudes.
template <int kUnits>
RunningError<kUnits> Sum(const std::vector<RunningError<kUnits>>& terms) {
  double value = 0.0, magnitude = 0.0, propagated = 0.0;
  for (const auto& term : terms) {
    value += term.value;
    magnitude += std::fabs(term.value) + term.error;
    propagated += term.error;
  }
  const auto n = static_cast<double>(terms.size());
  const double n_units = n * RunningError<kUnits>::kUnit;
  return {value, propagated + n_units / (1.0 - n_units) * magnitude + n * RunningError<kUnits>::kSmallest};
}
inline double Sum(const std::vector<double>& terms) {
  double sum = 0.0;
  for (const double term : terms) sum += term;
  return sum;
}

/// As Sum, where each partial sum is rounded to bf16.
template <int kUnits>
RunningError<kUnits> SumInBf16(const std::vector<RunningError<kUnits>>& terms) {
  double magnitude = 0.0;
  for (const auto& term : terms) magnitude += std::fabs(term.value) + term.error;
  RunningError<kUnits> sum = Sum(terms);
  const double units = static_cast<double>(terms.size()) * RunningError<kUnits>::kBf16Unit;
  sum.error += units < 1.0 ? units / (1.0 - units) * magnitude : INFINITY;
  return sum;
}
inline double SumInBf16(const std::vector<double>& terms) { return Sum(terms); }

/// One number in two ways, of which a program takes either.
template <int kUnits>
RunningError<kUnits> Either(RunningError<kUnits> a, RunningError<kUnits> b) {
  return {a.value, std::fmax(a.error, b.error + std::fabs(a.value - b.value))};
}
inline double Either(double a, double) { return a; }

/// What is stored of x in bf16. Rounding is monotonic: most numbers have one, and those near a tie have two.
template <int kUnits>
RunningError<kUnits> StoredInBf16(RunningError<kUnits> x) {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  const auto stored = [&](double least_or_most, float towards) {
    const auto nearest = static_cast<float>(least_or_most);
    return double{RoundToBf16(x.error == 0.0 ? nearest : std::nextafter(nearest, towards))};
  };
  const double value = RoundToBf16(static_cast<float>(x.value));
  const double least = stored(x.value - x.error, -kFar), most = stored(x.value + x.error, kFar);
  return {value, std::fmax(most - value, value - least)};
}
inline double StoredInBf16(double x) { return double{RoundToBf16(static_cast<float>(x))}; }

/// x rounded to bf16: an error for a measured number, nothing for the real number that a double stands for.
template <int kUnits>
RunningError<kUnits> ToBf16Error(RunningError<kUnits> x) {
  x.error += RunningError<kUnits>::kBf16Unit * (std::fabs(x.value) + x.error);
  return x;
}
inline double ToBf16Error(double x) { return x; }

inline double ValueOf(double x) { return x; }
template <int kUnits>
double ValueOf(RunningError<kUnits> x) {
  return x.value;
}

}  // namespace zerocts
