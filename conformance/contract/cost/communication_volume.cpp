// C-ZERO-100: a step moves no more than the formula of its stage, in few collectives.
#include "conformance/contract/cost/judge_traffic.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
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

const RegisteredClause clause("C-ZERO-100", "AStepMovesWhatItsStageHasTo", Space, JudgeTraffic);

}  // namespace
}  // namespace zerocts
