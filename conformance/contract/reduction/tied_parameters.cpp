#include "conformance/contract/judging.hpp"

namespace zerocts::tied_parameters {

const Clause kClause{
    .id = "C-ZERO-017",
    .name = "tied parameters",
    .sentence =
        "Names of one storage have one owner, one gradient that is the sum of their uses, one state, "
        "one update and one share of the norm, and always show the same value.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Two names of one parameter, next to each other or far apart, in other buckets and groups, with and "
        "without clipping and replicas, read in any order.",
    .bugs = {{"Gradients of tied embeddings were all-reduced after a reduce-scatter with other owners.",
              "https://github.com/NVIDIA/Megatron-LM/issues/844"},
             {"A tied embedding was counted twice in the norm.", "https://github.com/NVIDIA/Megatron-LM/pull/7228"},
             {"Sharding untied the weights: two copies were trained apart.",
              "https://github.com/NVIDIA-NeMo/Automodel/pull/2213"}},
    .essential = {{"tied"}},
    .features = {"tied", "multi_step", "clip_active"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.max_steps = 3;
  space.vary = {"tied names", "buckets", "mesh", "clipping", "read order", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::tied_parameters
