// Test oracle: a real number together with a bound on the error of evaluating it in floating point (running error
// analysis, Higham, Accuracy and Stability of Numerical Algorithms, section 3.3). With Measured numbers a formula
// derives its own bound.
#pragma once
#include <cmath>
#include <vector>

namespace zerocts {

/// Every operation errs by at most kUnit relative to its result: two roundings to fp32, one for the operation and one
/// for a constant or for another association of the same product. The value itself is carried in double, far more exact
/// than that.
struct Measured {
  static constexpr double kUnit = 0x1p-23;
  static constexpr double kBf16Unit = 0x1p-8;

  double value = 0.0;
  double error = 0.0;  // absolute

  Measured() = default;
  Measured(double exact) : value(exact) {}  // NOLINT: numbers mix freely
  static Measured Rounded(double v, double propagated) {
    Measured result;
    result.value = v;
    result.error = propagated + kUnit * (std::fabs(v) + propagated);
    return result;
  }

  friend Measured operator+(Measured a, Measured b) { return Rounded(a.value + b.value, a.error + b.error); }
  friend Measured operator-(Measured a, Measured b) { return Rounded(a.value - b.value, a.error + b.error); }
  friend Measured operator*(Measured a, Measured b) {
    return Rounded(a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
  }
  friend Measured operator/(Measured a, Measured b) {
    const double quotient = a.value / b.value;
    return Rounded(quotient, (a.error + std::fabs(quotient) * b.error) / (std::fabs(b.value) - b.error));
  }
};

inline Measured Exp(Measured x) {
  return Measured::Rounded(std::exp(x.value), std::exp(x.value) * std::expm1(x.error));
}
inline Measured Log(Measured x) { return Measured::Rounded(std::log(x.value), x.error / (x.value - x.error)); }
inline Measured Tanh(Measured x) {
  return Measured::Rounded(std::tanh(x.value), x.error);  // its slope is at most 1
}
inline Measured Sqrt(Measured x) {
  const double root = std::sqrt(x.value);
  return Measured::Rounded(root, x.error / (root + std::sqrt(std::fmax(0.0, x.value - x.error))));
}
inline double Exp(double x) { return std::exp(x); }
inline double Log(double x) { return std::log(x); }
inline double Tanh(double x) { return std::tanh(x); }
inline double Sqrt(double x) { return std::sqrt(x); }

/// A sum in any order: n additions, each of a partial sum that is at most the sum of all magnitudes.
inline Measured Sum(const std::vector<Measured>& terms) {
  double value = 0.0, magnitude = 0.0, propagated = 0.0;
  for (const auto& term : terms) {
    value += term.value;
    magnitude += std::fabs(term.value) + term.error;
    propagated += term.error;
  }
  const double n_units = static_cast<double>(terms.size()) * Measured::kUnit;
  Measured sum;
  sum.value = value;
  sum.error = propagated + n_units / (1.0 - n_units) * magnitude;
  return sum;
}
inline double Sum(const std::vector<double>& terms) {
  double sum = 0.0;
  for (const double term : terms) sum += term;
  return sum;
}

/// x rounded to bf16: an error for a Measured number, nothing for the real number that a double stands for.
inline Measured ToBf16Error(Measured x) {
  x.error += Measured::kBf16Unit * (std::fabs(x.value) + x.error);
  return x;
}
inline double ToBf16Error(double x) { return x; }

inline double ValueOf(double x) { return x; }
inline double ValueOf(Measured x) { return x.value; }

}  // namespace zerocts
