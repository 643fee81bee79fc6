// Formulas of optimizers as data: in which order a framework computes one step, and where it rounds.
// The exact sequences stand in ops/optimizer_formulas.hpp; the names of the choices in optim/formula_names.hpp.
#pragma once
#include <cstdint>

namespace zerocts {

/// How a running mean takes up a new value. SGD's momentum buffer too.
enum class MomentOrder : uint8_t {
  kFma,   // m = beta m + ((1 - beta) g); v = beta v + (((1 - beta) g) g); u = momentum u + ((1 - dampening) d)
  kLerp,  // m = m + (1 - beta) (g - m), seen from g when 1 - beta >= 0.5; v = ((1 - beta) g) g + (beta v);
          // u = (1 - dampening) d + (momentum u)
};

/// Where Adam's weight decay acts.
enum class DecayPosition : uint8_t {
  kUpdate,    // p - lr (u + weight_decay p)
  kBefore,    // p (1 - lr weight_decay), then the update
  kAfter,     // the update, then p (1 - lr weight_decay)
  kGradient,  // g + weight_decay p: L2 regularisation
};

enum class BiasCorrection : uint8_t {
  kSeparate,  // m / c1 and v / c2, with c = 1 - product of betas
  kFolded,    // c1 within the step size lr / c1, and sqrt(v) / sqrt(c2)
  kNone,
};

/// Where epsilon is added: outside or inside the root, to the corrected second moment or before its correction.
enum class EpsilonPosition : uint8_t {
  kOutside,             // sqrt(v / c2) + eps
  kOutsideUncorrected,  // (sqrt(v) + eps) / sqrt(c2); folded: sqrt(v) + eps, with the step size lr sqrt(c2) / c1
  kInside,              // sqrt(v / c2 + eps)
  kInsideUncorrected,   // sqrt(v + eps) / sqrt(c2); folded: sqrt(v + eps), with the step size lr sqrt(c2) / c1
};

enum class UpdateOrder : uint8_t {
  kQuotient,      // p - step (m / denominator)
  kProductFirst,  // p + (-step m) / denominator
};

/// What beta^t of the bias correction is when beta changed on the way.
enum class BetaPowers : uint8_t {
  kProduct,  // the product of the betas of all steps
  kCurrent,  // the current beta to the power of the number of steps
};

/// Products that feed a sum.
enum class ProductRounding : uint8_t {
  kFused,    // one fma
  kRounded,  // rounded on their own
};

/// What Muon's products of matrices keep.
enum class MatrixProducts : uint8_t { kFp32, kBf16 };

/// What is left at its default is our own formula.
struct OptimizerFormula {
  MomentOrder moments = MomentOrder::kFma;
  DecayPosition decay = DecayPosition::kUpdate;
  BiasCorrection bias_correction = BiasCorrection::kSeparate;
  EpsilonPosition epsilon = EpsilonPosition::kOutside;
  UpdateOrder update = UpdateOrder::kQuotient;
  ProductRounding products = ProductRounding::kFused;
  BetaPowers beta_powers = BetaPowers::kProduct;
  MatrixProducts matrix_products = MatrixProducts::kFp32;
  friend bool operator==(const OptimizerFormula&, const OptimizerFormula&) = default;
};

/// Scalars of one step of Adam in any formula, and of LAMB. Each was computed in double and rounded once; what a
/// formula does not correct has a correction of 1.
struct AdamScalars {
  float step_size;  // lr, or with the corrections that the formula folds into it
  float beta1, beta2, one_minus_beta1, one_minus_beta2, eps, weight_decay;
  float correction1, correction2, root_correction2;
  float shrink;  // 1 - lr * weight_decay
  float clip;    // multiplies the gradient first; 1 leaves it untouched
};

/// Scalars of SGD in any formula.
struct MomentumScalars {
  float lr, momentum, weight_decay;
  float gradient_weight;  // 1 - dampening
  bool nesterov;
  bool first;  // the buffer begins: it becomes the gradient, undamped
  float clip;
};

}  // namespace zerocts
