#include "reference/optim/step.hpp"

#include <cmath>
#include <stdexcept>

namespace zerocts {
namespace {

AdamWScalars AdamWScalarsOf(const HyperParameters& group, const BetaProducts& products, float clip) {
  return {.lr = group.lr,
          .beta1 = group.beta1,
          .beta2 = group.beta2,
          .eps = group.eps,
          .weight_decay = group.weight_decay,
          .bias_correction1 = static_cast<float>(1.0 - products.beta1),
          .bias_correction2 = static_cast<float>(1.0 - products.beta2),
          .clip = clip};
}

double StepSize(const OptimizerFormula& formula, double lr, double correction1, double root_correction2) {
  if (formula.bias_correction != BiasCorrection::kFolded) return lr;
  const bool uncorrected =
      formula.epsilon == EpsilonPosition::kOutsideUncorrected || formula.epsilon == EpsilonPosition::kInsideUncorrected;
  return (uncorrected ? lr * root_correction2 : lr) / correction1;
}

/// By repeated multiplication, as the products are made.
double Power(double beta, int64_t steps) {
  double power = 1.0;
  for (int64_t step = 0; step < steps; ++step) power *= beta;
  return power;
}

AdamScalars AdamScalarsOf(const OptimizerFormula& formula, const HyperParameters& group, const BetaProducts& products,
                          float clip) {
  const bool corrects = formula.bias_correction != BiasCorrection::kNone;
  const bool current = formula.beta_powers == BetaPowers::kCurrent;
  const double power1 = current ? Power(group.beta1, products.steps) : products.beta1;
  const double power2 = current ? Power(group.beta2, products.steps) : products.beta2;
  const double correction1 = corrects ? 1.0 - power1 : 1.0, correction2 = corrects ? 1.0 - power2 : 1.0;
  const double root_correction2 = std::sqrt(correction2);
  const double decay = double{group.lr} * group.weight_decay;
  return {.step_size = static_cast<float>(StepSize(formula, group.lr, correction1, root_correction2)),
          .beta1 = group.beta1,
          .beta2 = group.beta2,
          .one_minus_beta1 = static_cast<float>(1.0 - group.beta1),
          .one_minus_beta2 = static_cast<float>(1.0 - group.beta2),
          .eps = group.eps,
          .weight_decay = group.weight_decay,
          .correction1 = static_cast<float>(correction1),
          .correction2 = static_cast<float>(correction2),
          .root_correction2 = static_cast<float>(root_correction2),
          .shrink = static_cast<float>(1.0 - decay),
          .clip = clip};
}

void ApplySgd(Ops& ops, const OptimizerFormula& formula, const HyperParameters& group, const BetaProducts& products,
              float clip, StatePointers state, const float* gradient, int64_t numel) {
  if (formula == OptimizerFormula{} && group.dampening == 0.0f && !group.nesterov) {
    return ops.Sgd({group.lr, group.momentum, group.weight_decay, clip}, state.master, state.moment1, gradient, numel);
  }
  const MomentumScalars scalars{.lr = group.lr,
                                .momentum = group.momentum,
                                .weight_decay = group.weight_decay,
                                .gradient_weight = static_cast<float>(1.0 - group.dampening),
                                .nesterov = group.nesterov,
                                .first = products.momentum_steps <= 1,
                                .clip = clip};
  ops.MomentumSgd(formula, scalars, state.master, state.moment1, gradient, numel);
}

}  // namespace

void BetaProducts::Advance(const HyperParameters& group) {
  beta1 *= group.beta1;
  beta2 *= group.beta2;
  ++steps;
  if (group.momentum != 0.0f) ++momentum_steps;
}

float ClipCoefficient(float norm, float max_norm, float epsilon) {
  return ClipCoefficient(ClipFormula::kMin, norm, max_norm, epsilon);
}

float TrustRatio(float weight_norm, float update_norm) {
  return weight_norm == 0.0f || update_norm == 0.0f ? 1.0f : weight_norm / update_norm;
}

bool NeedsWholeTensors(const Optimizer& optimizer) {
  return optimizer.kind == OptimizerKind::kLamb || optimizer.kind == OptimizerKind::kMuon;
}

void PrepareStep(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
                 float clip, StatePointers state, const float* gradient, int64_t numel, WholeTensorSums& sums) {
  ops.LambMoments(optimizer.formula, AdamScalarsOf(optimizer.formula, group, products, clip), &sums.weights,
                  &sums.updates, state.master, state.moment1, state.moment2, gradient, numel);
}

void FinishStep(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
                StatePointers state, int64_t numel, const WholeTensorSums& sums) {
  const AdamScalars scalars = AdamScalarsOf(optimizer.formula, group, products, 1.0f);
  const float step = scalars.step_size * TrustRatio(sums.weights.Norm(), sums.updates.Norm());
  ops.LambApply(optimizer.formula, scalars, step, state.master, state.moment1, state.moment2, numel);
}

void ApplyStep(Ops& ops, const Optimizer& optimizer, const HyperParameters& group, const BetaProducts& products,
               float clip, StatePointers state, const float* gradient, int64_t numel) {
  OptimizerFormula formula = optimizer.formula;
  if (optimizer.kind == OptimizerKind::kAdam) formula.decay = DecayPosition::kGradient;
  switch (optimizer.kind) {
    case OptimizerKind::kSgd: ApplySgd(ops, formula, group, products, clip, state, gradient, numel); break;
    case OptimizerKind::kAdamW:
      if (formula == OptimizerFormula{}) {
        ops.AdamW(AdamWScalarsOf(group, products, clip), state.master, state.moment1, state.moment2, gradient, numel);
        break;
      }
      [[fallthrough]];
    case OptimizerKind::kAdam:
      ops.Adam(formula, AdamScalarsOf(formula, group, products, clip), state.master, state.moment1, state.moment2,
               gradient, numel);
      break;
    case OptimizerKind::kLamb: {
      WholeTensorSums sums;
      PrepareStep(ops, optimizer, group, products, clip, state, gradient, numel, sums);
      FinishStep(ops, optimizer, group, products, state, numel, sums);
      break;
    }
    case OptimizerKind::kMuon: throw std::logic_error("ApplyStep: Muon needs the shape of its matrix");
  }
}

}  // namespace zerocts
