// Clipping by the global norm as its definition says, over any kind of number N: what training_walk.hpp clips by.
#pragma once
#include <cmath>
#include <vector>

#include "reference/experiment/experiment.hpp"
#include "reference/model/oracle_gpt.hpp"

namespace zerocts {

/// Programs take the norms of pieces, of tensors, and over ranks, each a root that is squared again.
inline constexpr int kMostNestedNorms = 3;

template <typename N>
struct Clipping {
  bool is_on = false;
  N norm = N(0.0), coefficient = N(1.0);

  N Of(const N& gradient) const { return is_on ? coefficient * gradient : gradient; }
};

template <int kUnits>
RunningError<kUnits> Magnitude(RunningError<kUnits> x) {
  return {std::fabs(x.value), x.error};
}

/// Where nobody can tell which is the larger, that one is off by no more than either of them.
template <int kUnits>
RunningError<kUnits> Larger(RunningError<kUnits> a, RunningError<kUnits> b) {
  if (a.value - a.error >= b.value + b.error) return a;
  if (b.value - b.error >= a.value + a.error) return b;
  return {std::fmax(a.value, b.value), std::fmax(a.error, b.error)};
}
template <int kUnits>
RunningError<kUnits> Smaller(RunningError<kUnits> a, RunningError<kUnits> b) {
  if (a.value + a.error <= b.value - b.error) return a;
  if (b.value + b.error <= a.value - a.error) return b;
  return {std::fmin(a.value, b.value), std::fmax(a.error, b.error)};
}

/// `above` where a is larger than b, else `otherwise`; either of them where nobody can tell.
template <int kUnits>
RunningError<kUnits> WhereLarger(RunningError<kUnits> a, RunningError<kUnits> b, RunningError<kUnits> above,
                                 RunningError<kUnits> otherwise) {
  if (a.value - a.error > b.value + b.error) return above;
  return a.value + a.error <= b.value - b.error ? otherwise : Either(otherwise, above);
}

template <typename N>
N TwoNorm(const std::vector<N>& magnitudes) {
  std::vector<N> squares;
  for (const N& x : magnitudes) squares.push_back(x * x);
  N norm = Sqrt(Sum(squares));
  for (int nested = 0; nested < kMostNestedNorms; ++nested) norm = Sqrt(norm * norm);
  return norm;
}

template <typename N>
N LargestOf(const std::vector<N>& magnitudes) {
  N largest(0.0);
  for (const N& x : magnitudes) largest = Larger(largest, x);
  return largest;
}

/// The norm over all elements, each counted once.
template <typename N>
N NormOf(NormKind kind, const std::vector<std::vector<N>>& gradient) {
  std::vector<N> magnitudes;
  for (const auto& tensor : gradient) {
    for (const N& x : tensor) magnitudes.push_back(Magnitude(x));
  }
  switch (kind) {
    case NormKind::kOne: return Sum(magnitudes);
    case NormKind::kInfinity: return LargestOf(magnitudes);
    case NormKind::kTwo: break;
  }
  return TwoNorm(magnitudes);
}

/// ClipCoefficient of reference/optim/clipping.hpp.
template <typename N>
N CoefficientOf(const Experiment& e, const N& norm) {
  const N one(1.0), limit(double{e.max_norm}), length = norm + N(double{e.clip_epsilon});
  switch (e.clip_formula) {
    case ClipFormula::kMin: return Smaller(one, limit / length);
    case ClipFormula::kTorch: return Smaller(one, (one / length) * limit);
    case ClipFormula::kAbove: return WhereLarger(norm, limit, limit / length, one);
    case ClipFormula::kDeepSpeedReciprocal: return one / Larger(one, length * (one / limit));
    case ClipFormula::kDeepSpeed:
    case ClipFormula::kDeepSpeedFp64: break;
  }
  return one / Larger(one, length / limit);
}

template <typename N>
Clipping<N> ClippingOf(const Experiment& e, const std::vector<std::vector<N>>& gradient) {
  if (e.max_norm == 0.0f) return {};
  const N norm = oracle::RoundedTo(e.precision, NormOf(e.clip_norm, gradient));
  return {.is_on = true, .norm = norm, .coefficient = CoefficientOf(e, norm)};
}

}  // namespace zerocts
