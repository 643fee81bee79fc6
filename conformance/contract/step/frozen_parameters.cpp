#include "conformance/contract/judging.hpp"

namespace zerocts::frozen_parameters {

const Clause kClause{
    .id = "C-ZERO-054",
    .name = "frozen parameters",
    .sentence =
        "A frozen parameter keeps its bits: no update, no decay, no moments, no step count; thawed, it "
        "goes on where it stood.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Parameters are frozen at the beginning, in the middle and at the end of a run, under weight decay "
        "and clipping, with replicas and offload, too.",
    .bugs = {{"requires_grad was not passed on to the flat parameter.",
              "https://github.com/facebookresearch/fairscale/pull/721"},
             {"A step on zero gradients counted as the first.", "https://github.com/NVIDIA/Megatron-LM/pull/5976"},
             {"The state of parameters that were frozen later was dropped.",
              "https://github.com/pytorch/pytorch/issues/192202"}},
    .essential = {{"frozen"}},
    .features = {"frozen", "thawed", "weight_decay"},
    .needs = {"frozen parameters have no state at all"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.min_steps = 3;
  space.max_steps = 5;
  space.vary = {"frozen parameters", "mesh", "offload", "clipping", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::frozen_parameters
