// C-ZERO-024: parameters of several dtypes in one model keep theirs.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-024"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.max_steps = 3;
  space.mixed_precisions = true;
  space.buckets = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-024", Space, JudgeAgainstReference});

TEST(C_ZERO_024, EveryParameterKeepsItsOwnDtype) { CheckClause("C-ZERO-024", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
