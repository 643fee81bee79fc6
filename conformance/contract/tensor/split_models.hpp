// What the clauses of this family draw from and compare with: models whose layers tensor ranks split, and whole layers.
#pragma once
#include "conformance/cases/draws/case_space.hpp"
#include "conformance/check/bounded/compare_bounded.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {

/// Biases begin with zero, so what is wrong with them shows from the second step on.
inline CaseSpace SplitModels() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kModel;
  space.min_steps = 2;
  space.max_steps = 3;
  space.split_layers = true;
  space.vary = {"tensor", "mesh", "buckets", "vocab_parallel", "sequence_parallel"};
  return space;
}

/// The same, and an MLP that is walked with a running bound where the subject's models are inexact.
inline CaseSpace SplitModelsOrBounded() {
  CaseSpace space = SplitModels();
  space.or_bounded = {OptimizerKind::kSgd};
  return space;
}

/// By the bits of whole layers; where the case is bounded, within a bound of exact arithmetic, which knows no order.
inline std::optional<Finding> AgainstWholeLayers(Trial& trial, const Case& c, const Observations& ranks,
                                                 const CompareOptions& options = {}) {
  if (c.fidelity != Fidelity::kBounded) return AgainstReference(trial, c, ranks, options);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  return CompareWithBound(c, ranks, options);
}

}  // namespace zerocts
