#include "conformance/contract/judging.hpp"

namespace zerocts::state_by_identity {

const Clause kClause{
    .id = "C-ZERO-083",
    .name = "state keyed by identity",
    .sentence =
        "What was saved of a parameter or of a group comes back to that one, whichever groups are empty, "
        "and whichever parameters are frozen or have no state yet.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "Up to four groups whose parameters alternate, some without any; parameters of one shape, so that a "
        "wrong one fits; parameters that are frozen from the start, or when the checkpoint is saved and "
        "thawed later; such as had no gradient, and momentum that comes into being when a hyper-parameter "
        "changes.",
    .bugs = {{"The state of parameters that were frozen later was dropped by the load.",
              "https://github.com/pytorch/pytorch/issues/192202"},
             {"With an empty group in front, groups came back without their hyper-parameters.",
              "https://github.com/pytorch/pytorch/issues/143828"},
             {"Parameters were divided in another order than they were saved in.",
              "https://github.com/deepspeedai/DeepSpeed/pull/1240"}},
    .essential = {{"resume"}},
    .features = {"resume", "adamw", "multi_group", "empty_group", "frozen", "resumed_frozen", "thawed", "missing_all"},
    .needs = {"parameters that the loading engine has in another order"},
    .revision = 2,
};

/// Every other case has parameters of one shape alone: what is given to the wrong one fits there.
void GiveOneShape(Experiment& e) {
  if (e.model || e.seed % 2 == 0) return;
  for (ParameterSpec& parameter : e.parameters) parameter.shape = e.parameters.back().shape;
}

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kModel};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.min_steps = 3;
  space.max_steps = 5;
  space.max_groups = 4;
  space.vary = {"hyper-parameter changes", "frozen parameters", "missing gradients", "loss"};
  space.checkpoint = CheckpointUse::kResume;
  space.finish = [](Case& c) {
    GiveOneShape(c.experiment);
    UseModelWeights(c);
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::state_by_identity
