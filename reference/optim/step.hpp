// One optimizer step: step counts, bias corrections, clipping. Pure functions over Ops.
#pragma once
#include <cstdint>

#include "reference/ops/ops.hpp"
#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {

/// Of one parameter group: the running products of the betas of all applied steps, in double. Starts at 1, advanced
/// once per step.
struct BetaProducts {
  double beta1 = 1.0, beta2 = 1.0;
  void Advance(const HyperParameters& group);
};

/// min(1, max_norm / (norm + epsilon)) in fp32; 1 when max_norm is 0 (no clipping). NaN when the norm is not finite and
/// clipping is on.
float ClipCoefficient(float norm, float max_norm, float epsilon);

/// fp32 state of one piece of one parameter; momentum or the two moments, by optimizer.
struct StatePointers {
  float* master;
  float* moment1;  // momentum or exp_avg
  float* moment2;  // exp_avg_sq or nullptr
};

/// Applies one step to `numel` elements. `products` was already advanced for this step.
void ApplyStep(Ops& ops, OptimizerKind kind, const HyperParameters& group, const BetaProducts& products, float clip,
               StatePointers state, const float* gradient, int64_t numel);

}  // namespace zerocts
