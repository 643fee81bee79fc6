// C-ZERO-100: a step moves no more than the formula of its stage, in few collectives.
#include <gtest/gtest.h>

#include "conformance/contract/cost/judge_traffic.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-100"};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.gradients = {GradientSource::kModel, GradientSource::kIndexCoded};
  space.max_steps = 2;
  space.sync_each = true;
  space.mesh = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
    c.plan.clear();  // the subject's own: plans by parameter give ranks parts of very different size
    c.fidelity = Fidelity::kBounded;
    c.observe_traffic = true;
  };
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-100", Space, JudgeTraffic});

TEST(C_ZERO_100, AStepMovesWhatItsStageHasTo) { CheckClause("C-ZERO-100", Space(), JudgeTraffic); }

}  // namespace
}  // namespace zerocts
