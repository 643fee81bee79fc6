// C-ZERO-033: the 1-norm, the 2-norm and the largest magnitude, with ranks that own nothing.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kUniform, GradientSource::kZero};
  space.shapes = ShapeStyle::kDegenerate;
  space.initial = InitialValues::kUniform;
  space.clip = true;
  space.clip_variants = true;
  space.keep = [](const Case& c) { return c.experiment.max_norm > 0; };
  return space;
}

const RegisteredClause clause("C-ZERO-033", "EveryNormIsItsOwn", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
