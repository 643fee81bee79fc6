// C-ZERO-064: buffers keep their values and their dtype on every rank.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-064"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.max_steps = 3;
  space.buffers = true;
  space.mixed_precisions = true;
  space.mesh = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-064", Space, JudgeAgainstReference});

TEST(C_ZERO_064, BuffersStayWhatTheyAre) { CheckClause("C-ZERO-064", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
