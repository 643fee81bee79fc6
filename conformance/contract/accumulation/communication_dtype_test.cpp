// C-ZERO-023: gradients are rounded to the declared dtype where it is declared, and nowhere else.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-023"};
  space.gradients = {GradientSource::kUniform};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.bf16_sums = true;
  space.mesh = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-023", Space, JudgeAgainstReference});

TEST(C_ZERO_023, GradientsTravelInTheDeclaredDtype) { CheckClause("C-ZERO-023", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
