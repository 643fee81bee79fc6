// One element of each elementwise operation: the exact sequence of rounded operations that every backend repeats.
// Each line of arithmetic rounds once per operator and once per fma; nothing else may be fused, split or reordered.
#pragma once
#include <cstdint>

#include "reference/numerics/elementary_inline.hpp"
#include "reference/numerics/inline.hpp"
#include "reference/ops/ops.hpp"

namespace zerocts::formulas {

ZEROCTS_INLINE float Fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

/// The larger one; `next` is skipped where it is NaN.
ZEROCTS_INLINE float Max(float largest, float next) { return next > largest ? next : largest; }

// A step reads what it updates once and writes it once, at its end: a wide load that follows a store to the same
// address waits for it where the address crosses a line of the cache, which halves the speed of AdamW on Zen 4.

ZEROCTS_INLINE void Sgd(const SgdScalars& s, float& master, float& momentum, float gradient) {
  const float g = s.clip * gradient;
  const float d = Fma(s.weight_decay, master, g);
  const float u = Fma(s.momentum, momentum, d);
  master = Fma(-s.lr, u, master);
  momentum = u;
}

ZEROCTS_INLINE void AdamW(const AdamWScalars& s, float& master, float& exp_avg, float& exp_avg_sq, float gradient) {
  const float g = s.clip * gradient;
  const float m = Fma(s.beta1, exp_avg, (1.0f - s.beta1) * g);
  const float v = Fma(s.beta2, exp_avg_sq, ((1.0f - s.beta2) * g) * g);
  const float mean = m / s.bias_correction1;
  const float scale = __builtin_sqrtf(v / s.bias_correction2) + s.eps;
  const float update = mean / scale;
  master = Fma(-s.lr, Fma(s.weight_decay, master, update), master);
  exp_avg = m;
  exp_avg_sq = v;
}

inline constexpr float kGeluCubic = 0.044715f;
inline constexpr float kGeluCubicSlope = 0.134145f;       // 3 * 0.044715
inline constexpr float kGeluScale = 0.7978845608028654f;  // sqrt(2 / pi)

/// tanh(t), t = sqrt(2/pi) (x + 0.044715 x^3)
ZEROCTS_INLINE float GeluTanh(float x) {
  const float cubic = (kGeluCubic * x) * x;
  return elementary::Tanh(kGeluScale * Fma(cubic, x, x));
}

/// 0.5 x (1 + th), th = tanh t
ZEROCTS_INLINE float Gelu(float x, float th) { return (0.5f * x) * (1.0f + th); }

/// upstream * (0.5 (1 + th) + 0.5 x (1 - th^2) t'), t' = sqrt(2/pi) (1 + 3 * 0.044715 x^2)
ZEROCTS_INLINE float GeluGradient(float x, float th, float upstream) {
  const float slope = kGeluScale * Fma(kGeluCubicSlope * x, x, 1.0f);
  const float weight = (0.5f * x) * Fma(-th, th, 1.0f);
  return upstream * Fma(weight, slope, 0.5f * (1.0f + th));
}

/// Softmax of a row: m = the largest logit (NaN is skipped), e = Exp(logit - m), sum = LaneTreeSum(e). Split logits are
/// summed in slices, each by LaneTreeSum.
ZEROCTS_INLINE float SoftmaxNumerator(float logit, float largest) { return elementary::Exp(logit - largest); }

ZEROCTS_INLINE float CrossEntropy(float largest, float sum, float target_logit) {
  return (largest + elementary::Log(sum)) - target_logit;
}

/// d loss / d logit / B of one class; one_hot is 1 for the target and 0 for the others.
ZEROCTS_INLINE float SoftmaxGradient(float numerator, float sum, float one_hot, float batch) {
  return (numerator / sum - one_hot) / batch;
}

/// LayerNorm of a row x[C], C as a float: mean = LaneTreeSum(x) / C, variance = LaneTreeSum(CenteredSquare) / C, each
/// square rounded before it is added. X is a float or a vector of floats.
template <typename X>
ZEROCTS_INLINE X CenteredSquare(X x, float mean) {
  const X d = x - mean;
  return d * d;
}
ZEROCTS_INLINE float ReciprocalRoot(float variance, float eps) { return 1.0f / __builtin_sqrtf(variance + eps); }
template <typename X>
ZEROCTS_INLINE X Normalized(X x, float mean, float rstd) {
  return (x - mean) * rstd;
}

/// g = upstream * weight, a = LaneTreeSum(g) / C, b = LaneTreeSum(g * Normalized) / C, g and the product rounded first.
ZEROCTS_INLINE float LayerNormGradient(float normalized, float rstd, float g, float a, float b) {
  return Fma(-normalized, b, g - a) * rstd;
}

/// Attention: a row of scores, scale * (fma chain of q k^T), goes through the softmax above: p = numerator / sum.
/// d score = p (d p - LaneTreeSum(p * d p)), each product rounded; times scale it is the gradient of the chain.
ZEROCTS_INLINE float ScoreGradient(float p, float p_gradient, float dot, float scale) {
  return scale * (p * (p_gradient - dot));
}

/// 1 / sqrt(D) as the nearest float; `attention_test.cpp` checks it with integers for every D up to 2^16.
ZEROCTS_INLINE float AttentionScale(int64_t D) {
  return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(D)));
}

}  // namespace zerocts::formulas
