#include "conformance/cases/draws/magnitude.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/cases/case/hyper_parameters.hpp"
#include "reference/experiment/value_exponents.hpp"

namespace zerocts {
namespace {

bool HasSubnormalRates(Experiment e) {
  const auto is_subnormal = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; };
  bool found = false;
  ForEachHyperParameters(
      e, [&](const HyperParameters& h) { found |= is_subnormal(h.lr) || is_subnormal(h.weight_decay); });
  return found;
}

/// The smallest that a given gradient may be.
int SmallestGradientExponent(const Experiment& e) {
  constexpr int kUniform = -12;
  return IsExact(e.gradients) ? e.gradient_exponent : e.gradient_exponent + kUniform;
}

}  // namespace

bool HasSubnormals(const Experiment& e) {
  const int gradient = e.model ? 2 * e.initial_exponent : SmallestGradientExponent(e);
  const bool squares = !e.model && HasSecondMoments(e.optimizer) && 2 * gradient < kSmallestNormalExponent;
  return squares || e.initial_exponent < kSmallestNormalExponent || gradient < kSmallestNormalExponent ||
         HasSubnormalRates(e);
}

bool HasHugeValues(const Experiment& e) {
  constexpr int kHuge = 80;
  const bool squares = HasSecondMoments(e.optimizer) && 2 * (e.gradient_exponent + MeanExponent(e)) > kHuge;
  return squares || e.initial_exponent > kHuge || e.gradient_exponent + MeanExponent(e) > kHuge;
}

bool IsPlain(const Experiment& e) { return !HasSubnormals(e) && !HasHugeValues(e); }

}  // namespace zerocts
