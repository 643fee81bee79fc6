// C-ZERO-084: step counts, hyper-parameters and the loss scale go on from where they were saved.
#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.min_steps = 3;
  space.max_steps = 6;
  space.max_groups = 3;
  space.hyper_changes = space.loss_scaling = true;
  space.keep = HasNoEmptyGroup;
  space.checkpoint = CheckpointUse::kResume;
  space.finish = [](Case& c) {
    GiveMomentumToAllOrNone(c.experiment);
    if (c.experiment.optimizer != OptimizerKind::kAdamW) return;
    ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.eps = 1e-30f; });
  };
  return space;
}

const RegisteredClause clause("C-ZERO-084", "CountsRatesAndScalesGoOn", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
