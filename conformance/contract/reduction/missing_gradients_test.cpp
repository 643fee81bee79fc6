// C-ZERO-013: a gradient that some ranks or all do not have is nothing, not something else.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-013"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.missing = true;
  space.buckets = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-013", Space, JudgeAgainstReference});

TEST(C_ZERO_013, AMissingGradientIsZeroAndOneThatNobodyHasIsNoStep) {
  CheckClause("C-ZERO-013", Space(), JudgeAgainstReference);
}

}  // namespace
}  // namespace zerocts
