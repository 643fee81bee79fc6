#include "conformance/contract/judging.hpp"

namespace zerocts::missing_gradients {

const Clause kClause{
    .id = "C-ZERO-013",
    .name = "missing gradients",
    .sentence =
        "A gradient that a micro-batch does not have counts as zero; a parameter that no micro-batch "
        "of any rank has a gradient for is not updated, and nothing else changes.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Gradients are left out for some micro-batches, on some ranks or on all, other ones in each step; "
        "parameters, moments and step counts are compared with the reference, with replicas and offload, too.",
    .bugs = {{"Ranks that used different parameters waited in different collectives.",
              "https://github.com/pytorch/pytorch/issues/158719"},
             {"Only ranks that had a gradient updated their shard.", "https://github.com/pytorch/pytorch/pull/174862"},
             {"The set of trained parameters changed between iterations, and slots were mixed up.",
              "https://github.com/deepspeedai/DeepSpeed/issues/1355"},
             {"Ranks without gradients left the step early: the others hung, and step counts drifted apart.",
              "https://github.com/facebookresearch/optimizers/pull/149"}},
    .essential = {{"missing_some", "missing_all"}},
    .features = {"missing_some", "missing_all", "multi_step"},
    .needs = {"a parameter that joins after the optimizer was made"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.min_steps = 2;
  space.max_steps = 4;
  space.vary = {"missing gradients", "buckets", "mesh", "gradient sync", "offload", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::missing_gradients
