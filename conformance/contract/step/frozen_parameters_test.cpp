// C-ZERO-054: a frozen parameter stands still, moments and decay included, and goes on when it is thawed.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-054"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.min_steps = 3;
  space.max_steps = 5;
  space.frozen = true;
  space.clip = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-054", Space, JudgeAgainstReference});

TEST(C_ZERO_054, FrozenParametersStandStill) { CheckClause("C-ZERO-054", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
