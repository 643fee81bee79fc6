#include "reference/optim/clipping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/optim/enum_names.hpp"

namespace zerocts {
namespace {

constexpr EnumName<NormKind> kNormNames[] = {
    {NormKind::kOne, "1"}, {NormKind::kTwo, "2"}, {NormKind::kInfinity, "inf"}};
constexpr EnumName<ClipFormula> kClipFormulaNames[] = {{ClipFormula::kMin, "min"},
                                                       {ClipFormula::kTorch, "torch"},
                                                       {ClipFormula::kAbove, "above"},
                                                       {ClipFormula::kDeepSpeed, "deepspeed"},
                                                       {ClipFormula::kDeepSpeedFp64, "deepspeed_fp64"},
                                                       {ClipFormula::kDeepSpeedReciprocal, "deepspeed_reciprocal"}};

template <typename Real>
Real DeepSpeedCoefficient(Real quotient) {
  return Real{1} / std::max(Real{1}, quotient);
}

}  // namespace

std::string ToString(NormKind norm) { return NameOf(kNormNames, norm); }
NormKind NormKindFromString(const std::string& name) { return FromName(kNormNames, "clip_norm", name); }
std::string ToString(ClipFormula formula) { return NameOf(kClipFormulaNames, formula); }
ClipFormula ClipFormulaFromString(const std::string& name) { return FromName(kClipFormulaNames, "clip_formula", name); }

void GradientNorm::Add(Ops& ops, const float* values, int64_t numel) {
  if (kind_ == NormKind::kTwo) return ops.AddSquares(&squares_, values, numel);
  ops.AddMagnitudes(&magnitudes_, values, numel);
}

float GradientNorm::Norm() const {
  if (kind_ == NormKind::kTwo) return squares_.Norm();
  return kind_ == NormKind::kOne ? magnitudes_.Value() : magnitudes_.Largest();
}

float ClipCoefficient(ClipFormula formula, float norm, float max_norm, float epsilon) {
  if (max_norm == 0.0f) return 1.0f;
  if (!std::isfinite(norm)) return std::numeric_limits<float>::quiet_NaN();
  const float length = norm + epsilon;
  switch (formula) {
    case ClipFormula::kMin: return std::min(1.0f, max_norm / length);
    case ClipFormula::kTorch: return std::min(1.0f, (1.0f / length) * max_norm);
    case ClipFormula::kDeepSpeed: return DeepSpeedCoefficient(length / max_norm);
    case ClipFormula::kDeepSpeedReciprocal: return DeepSpeedCoefficient(length * (1.0f / max_norm));
    case ClipFormula::kDeepSpeedFp64:
      return static_cast<float>(DeepSpeedCoefficient((double{norm} + double{epsilon}) / double{max_norm}));
    case ClipFormula::kAbove: break;
  }
  return norm > max_norm ? max_norm / length : 1.0f;
}

}  // namespace zerocts
