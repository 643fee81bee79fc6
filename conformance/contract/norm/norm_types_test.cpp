// C-ZERO-033: the 1-norm, the 2-norm and the largest magnitude, with ranks that own nothing.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-033"};
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kUniform, GradientSource::kZero};
  space.shapes = ShapeStyle::kDegenerate;
  space.initial = InitialValues::kUniform;
  space.clip = true;
  space.clip_variants = true;
  space.keep = [](const Case& c) { return c.experiment.max_norm > 0; };
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-033", Space, JudgeAgainstReference});

TEST(C_ZERO_033, EveryNormIsItsOwn) { CheckClause("C-ZERO-033", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
