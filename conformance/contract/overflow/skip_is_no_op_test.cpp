// C-ZERO-041: a skipped step changes no parameter, no moment, no count of steps.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-041"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.loss_scaling = true;
  space.min_steps = 2;
  space.max_steps = 4;
  space.buckets = true;
  space.offload = true;
  space.keep = [](const Case& c) { return c.experiment.loss_scaling.kind != LossScaleKind::kNone; };
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-041", Space, JudgeAgainstReference});

TEST(C_ZERO_041, ASkippedStepChangesNothing) { CheckClause("C-ZERO-041", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
