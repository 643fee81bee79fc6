#include "conformance/contract/judging.hpp"

namespace zerocts::group_fidelity {

const Clause kClause{
    .id = "C-ZERO-053",
    .name = "parameter-group fidelity",
    .sentence =
        "Each parameter is updated with the hyper-parameters of its own group, however groups are "
        "flattened and divided.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Up to four groups whose parameters alternate, with their own rates, decays, momenta, dampening and "
        "Nesterov; buckets of all sizes.",
    .bugs = {{"Groups for weight decay were lost when parameters were flattened.",
              "https://github.com/huggingface/accelerate/pull/2177"},
             {"Group data were lost when parameters were divided into sub-groups.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7906"}},
    .essential = {{"multi_group"}},
    .features = {"multi_group", "empty_group", "nesterov", "past_caches"},
    .needs = {"extra keys of groups"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.max_groups = 4;
  space.max_steps = 3;
  space.vary = {"block sizes", "momentum", "buckets", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::group_fidelity
