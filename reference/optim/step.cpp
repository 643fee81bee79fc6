#include "reference/optim/step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace

void BetaProducts::Advance(const HyperParameters& group) {
  beta1 *= group.beta1;
  beta2 *= group.beta2;
}

float ClipCoefficient(float norm, float max_norm, float epsilon) {
  if (max_norm == 0.0f) return 1.0f;
  if (!std::isfinite(norm)) return std::numeric_limits<float>::quiet_NaN();
  return std::min(1.0f, max_norm / (norm + epsilon));
}

void ApplyStep(Ops& ops, OptimizerKind kind, const HyperParameters& group, const BetaProducts& products, float clip,
               StatePointers state, const float* gradient, int64_t numel) {
  switch (kind) {
    case OptimizerKind::kSgd:
      ops.Sgd({group.lr, group.momentum, group.weight_decay, clip}, state.master, state.moment1, gradient, numel);
      break;
    case OptimizerKind::kAdamW:
      ops.AdamW(AdamWScalarsOf(group, products, clip), state.master, state.moment1, state.moment2, gradient, numel);
      break;
  }
}

}  // namespace zerocts
