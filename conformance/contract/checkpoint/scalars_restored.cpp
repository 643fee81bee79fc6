#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts::scalars_restored {

const Clause kClause{
    .id = "C-ZERO-084",
    .name = "scalars restored",
    .sentence =
        "A load restores step counts, hyper-parameters of every group, and the loss scale with all that "
        "its automaton remembers, exactly, and advances none of them.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "AdamW with eps near zero, so that an update shows the step count; hyper-parameters of several groups "
        "that changed since the engine was opened; a dynamic loss scale saved in the middle of its way to "
        "growth or back-off.",
    .bugs = {{"The step of a parameter group was not saved, and the bias correction began again.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5263"},
             {"A dummy step at construction replaced the step count that had been loaded.",
              "https://github.com/NVIDIA/Megatron-LM/pull/2874"},
             {"The first step after a resume used the constructor's weight decay.",
              "https://github.com/NVIDIA/Megatron-LM/pull/7468"},
             {"Only the first parameter group got its hyper-parameters back.",
              "https://github.com/pytorch/pytorch/issues/143828"},
             {"The loss scale was another one after a resume.",
              "https://github.com/huggingface/accelerate/issues/4289"}},
    .essential = {{"resume"}},
    .features = {"resume", "adamw", "multi_group", "resumed_change", "resumed_scale"},
    .needs = {"random states of the subject"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.min_steps = 3;
  space.max_steps = 6;
  space.max_groups = 3;
  space.vary = {"hyper-parameter changes", "loss scaling", "loss"};
  space.keep = HasNoEmptyGroup;
  space.checkpoint = CheckpointUse::kResume;
  space.finish = [](Case& c) {
    GiveMomentumToAllOrNone(c.experiment);
    if (c.experiment.optimizer != OptimizerKind::kAdamW) return;
    ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.eps = 1e-30f; });
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::scalars_restored
