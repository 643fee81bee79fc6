// C-ZERO-017: names of one parameter see one value, one gradient, one update.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-017"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.max_steps = 3;
  space.clip = true;
  space.tied = true;
  space.buckets = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-017", Space, JudgeAgainstReference});

TEST(C_ZERO_017, TiedNamesAreOneParameter) { CheckClause("C-ZERO-017", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
