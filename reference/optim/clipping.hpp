// Clipping of gradients by their global norm: which norm, and by what every gradient is multiplied.
#pragma once
#include <cstdint>
#include <string>

#include "reference/ops/ops.hpp"

namespace zerocts {

/// Each is the exact real norm of all elements, rounded once to fp32 (p = 2: the exact sum of squares rounded to
/// double, its root rounded to double, then to fp32).
enum class NormKind { kOne, kTwo, kInfinity };
std::string ToString(NormKind norm);  // "1", "2", "inf"
NormKind NormKindFromString(const std::string& name);

enum class ClipFormula {
  kMin,            // min(1, max_norm / (norm + epsilon))
  kTorch,          // min(1, (1 / (norm + epsilon)) * max_norm): what PyTorch computes for max_norm / (norm + epsilon)
  kAbove,          // norm > max_norm ? max_norm / (norm + epsilon) : 1
  kDeepSpeed,      // 1 / max(1, (norm + epsilon) / max_norm): DeepSpeed's stages 1 and 2
  kDeepSpeedFp64,  // the same in fp64, rounded to fp32 once: its stage 3
  /// 1 / max(1, (norm + epsilon) * (1 / max_norm)): its stages 1 and 2 on a GPU, where PyTorch divides by a number so.
  kDeepSpeedReciprocal,
};
/// "min", "torch", "above", "deepspeed", "deepspeed_fp64", "deepspeed_reciprocal"
std::string ToString(ClipFormula formula);
ClipFormula ClipFormulaFromString(const std::string& name);

/// The norm of values given piece by piece, in any order. NaN when a value is infinite or NaN.
class GradientNorm {
 public:
  explicit GradientNorm(NormKind kind) : kind_(kind) {}
  void Add(Ops& ops, const float* values, int64_t numel);
  float Norm() const;

 private:
  NormKind kind_;
  SumOfSquares squares_;
  SumOfMagnitudes magnitudes_;
};

/// In fp32 unless the formula says otherwise, every written operation rounded; 1 when max_norm is 0 (no clipping). NaN
/// when the norm is not finite and clipping is on.
float ClipCoefficient(ClipFormula formula, float norm, float max_norm, float epsilon);

}  // namespace zerocts
