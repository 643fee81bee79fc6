// What the clauses of this family draw from: models whose layers tensor ranks split.
#pragma once
#include "conformance/cases/case_space.hpp"

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
  space.vary = {"tensor", "mesh", "buckets"};
  return space;
}

}  // namespace zerocts
