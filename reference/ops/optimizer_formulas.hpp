// One element of an optimizer step in any formula: the exact sequence of rounded operations. A formula is a constant of
// the loop around it, so that no element asks which one it is.
#pragma once
#include "reference/ops/formulas.hpp"
#include "reference/ops/optimizer_formula.hpp"

namespace zerocts::formulas {

/// a * b + c, rounded once or twice.
ZEROCTS_INLINE float MultiplyAdd(ProductRounding products, float a, float b, float c) {
  if (products == ProductRounding::kFused) return Fma(a, b, c);
  const float product = a * b;  // kernels_test proves that no kernel file is compiled with contraction
  return product + c;
}

/// Weight decay in the gradient; without decay not even the sign of a zero changes.
ZEROCTS_INLINE float DecayedGradient(ProductRounding products, float weight_decay, float master, float g) {
  return weight_decay != 0.0f ? MultiplyAdd(products, weight_decay, master, g) : g;
}

ZEROCTS_INLINE void Moments(OptimizerFormula f, const AdamScalars& s, float& exp_avg, float& exp_avg_sq, float g) {
  if (f.moments == MomentOrder::kFma) {
    exp_avg = MultiplyAdd(f.products, s.beta1, exp_avg, s.one_minus_beta1 * g);
    exp_avg_sq = MultiplyAdd(f.products, s.beta2, exp_avg_sq, (s.one_minus_beta2 * g) * g);
    return;
  }
  const float way = g - exp_avg;
  exp_avg = s.one_minus_beta1 < 0.5f ? MultiplyAdd(f.products, s.one_minus_beta1, way, exp_avg)
                                     : MultiplyAdd(f.products, s.one_minus_beta1 - 1.0f, way, g);
  exp_avg_sq = MultiplyAdd(f.products, s.one_minus_beta2 * g, g, s.beta2 * exp_avg_sq);
}

ZEROCTS_INLINE float Denominator(OptimizerFormula f, const AdamScalars& s, float exp_avg_sq) {
  const bool folded = f.bias_correction == BiasCorrection::kFolded;
  switch (f.epsilon) {
    case EpsilonPosition::kOutside:
      if (folded) return __builtin_sqrtf(exp_avg_sq) / s.root_correction2 + s.eps;
      return __builtin_sqrtf(exp_avg_sq / s.correction2) + s.eps;
    case EpsilonPosition::kInside: return __builtin_sqrtf(exp_avg_sq / s.correction2 + s.eps);
    case EpsilonPosition::kOutsideUncorrected: {
      const float sum = __builtin_sqrtf(exp_avg_sq) + s.eps;
      return folded ? sum : sum / s.root_correction2;
    }
    case EpsilonPosition::kInsideUncorrected: break;
  }
  const float root = __builtin_sqrtf(exp_avg_sq + s.eps);
  return folded ? root : root / s.root_correction2;
}

ZEROCTS_INLINE float CorrectedMean(OptimizerFormula f, const AdamScalars& s, float exp_avg) {
  return f.bias_correction == BiasCorrection::kFolded ? exp_avg : exp_avg / s.correction1;
}

ZEROCTS_INLINE void Adam(OptimizerFormula f, const AdamScalars& s, float& master, float& exp_avg, float& exp_avg_sq,
                         float gradient) {
  float p = master, m = exp_avg, v = exp_avg_sq;
  float g = s.clip * gradient;
  if (f.decay == DecayPosition::kGradient) g = DecayedGradient(f.products, s.weight_decay, p, g);
  if (f.decay == DecayPosition::kBefore) p = p * s.shrink;
  Moments(f, s, m, v, g);
  const float mean = CorrectedMean(f, s, m), denominator = Denominator(f, s, v);
  if (f.update == UpdateOrder::kProductFirst) {
    p = p + (-s.step_size * mean) / denominator;
  } else {
    float update = mean / denominator;
    if (f.decay == DecayPosition::kUpdate) update = MultiplyAdd(f.products, s.weight_decay, p, update);
    p = MultiplyAdd(f.products, -s.step_size, update, p);
  }
  if (f.decay == DecayPosition::kAfter) p = p * s.shrink;
  master = p;
  exp_avg = m;
  exp_avg_sq = v;
}

/// LAMB's update before its length is known: Adam's, plus the decay.
ZEROCTS_INLINE float LambUpdate(OptimizerFormula f, const AdamScalars& s, float master, float exp_avg,
                                float exp_avg_sq) {
  const float update = CorrectedMean(f, s, exp_avg) / Denominator(f, s, exp_avg_sq);
  return MultiplyAdd(f.products, s.weight_decay, master, update);
}

/// Advances the moments; the update.
ZEROCTS_INLINE float LambMoments(OptimizerFormula f, const AdamScalars& s, float master, float& exp_avg,
                                 float& exp_avg_sq, float gradient) {
  float m = exp_avg, v = exp_avg_sq;
  Moments(f, s, m, v, s.clip * gradient);
  exp_avg = m;
  exp_avg_sq = v;
  return LambUpdate(f, s, master, m, v);
}

ZEROCTS_INLINE void MomentumSgd(OptimizerFormula f, const MomentumScalars& s, float& master, float& momentum,
                                float gradient) {
  const float d = DecayedGradient(f.products, s.weight_decay, master, s.clip * gradient);
  float step = d;
  if (s.momentum != 0.0f) {
    float u = d;
    if (!s.first && f.moments == MomentOrder::kFma) {
      u = MultiplyAdd(f.products, s.momentum, momentum, s.gradient_weight * d);
    } else if (!s.first) {
      u = MultiplyAdd(f.products, s.gradient_weight, d, s.momentum * momentum);
    }
    momentum = u;
    step = s.nesterov ? MultiplyAdd(f.products, s.momentum, u, d) : u;
  }
  master = MultiplyAdd(f.products, -s.lr, step, master);
}

}  // namespace zerocts::formulas
