// One optimizer step: step counts, bias corrections, formulas. Pure functions over Ops.
#pragma once
#include <cstdint>

#include "reference/ops/ops.hpp"
#include "reference/optim/clipping.hpp"
#include "reference/optim/hyper_parameters.hpp"

namespace zerocts {

/// Which optimizer in which formula; a kind alone means our own formula.
struct Optimizer {
  Optimizer(OptimizerKind optimizer_kind, const OptimizerFormula& optimizer_formula = {})
      : kind(optimizer_kind), formula(optimizer_formula) {}
  OptimizerKind kind;
  OptimizerFormula formula;
};

/// The running products of the betas of all applied steps, in double, of one parameter; or of one parameter group as
/// long as every parameter of it takes every step. Starts at 1, advanced once per step.
struct BetaProducts {
  double beta1 = 1.0, beta2 = 1.0;
  int64_t steps = 0;
  int64_t momentum_steps = 0;  // with a momentum above 0; SGD's buffer begins at the first
  void Advance(const HyperParameters& group);
};

/// ClipFormula::kMin.
float ClipCoefficient(float norm, float max_norm, float epsilon);

/// LAMB's trust ratio in fp32, weight_norm / update_norm; 1 when one of them is 0.
float TrustRatio(float weight_norm, float update_norm);

/// fp32 state of one piece of one parameter; momentum or the two moments, by optimizer.
struct StatePointers {
  float* master;
  float* moment1;  // momentum or exp_avg
  float* moment2;  // exp_avg_sq or nullptr
};

/// Does one element's update depend on the whole tensor it is in (LAMB, Muon)?
bool NeedsWholeTensors(const Optimizer& optimizer);

/// What such an update depends on; exact sums, so that those of a tensor's pieces can be merged in any order.
struct WholeTensorSums {
  SumOfSquares weights, updates;
};

// For LAMB, the two halves of a step on a piece of a tensor: first the moments and the sums
// (`sums` is added to); then, with the sums of the whole tensor, the weights.
void PrepareStep(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
                 float clip, StatePointers state, const float* gradient, int64_t numel, WholeTensorSums& sums);
void FinishStep(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
                StatePointers state, int64_t numel, const WholeTensorSums& sums);

/// Applies one step to `numel` elements. `products` was already advanced for this step. For LAMB the piece has to be
/// the whole parameter; Muon, which needs its shape, is ApplyMuon (muon.hpp).
void ApplyStep(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
               float clip, StatePointers state, const float* gradient, int64_t numel);

}  // namespace zerocts
