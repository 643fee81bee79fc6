// C-ZERO-042: the loss scale follows its automaton, on every rank the same.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-042"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.loss_scaling = true;
  space.min_steps = 12;
  space.max_steps = 20;
  space.max_micro_batches = 1;
  space.keep = [](const Case& c) { return c.experiment.loss_scaling.kind == LossScaleKind::kDynamic; };
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-042", Space, JudgeAgainstReference});

TEST(C_ZERO_042, TheScaleFollowsItsAutomaton) { CheckClause("C-ZERO-042", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
