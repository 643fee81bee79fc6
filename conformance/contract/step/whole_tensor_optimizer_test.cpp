// C-ZERO-055: an optimizer that looks at whole tensors gets whole tensors.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-055"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kLamb};
  space.initial = InitialValues::kUniform;
  space.max_steps = 4;
  space.mesh = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-055", Space, JudgeAgainstReference});

TEST(C_ZERO_055, OneStepLengthPerWholeParameter) { CheckClause("C-ZERO-055", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
