#include "conformance/contract/judging.hpp"

namespace zerocts::t_step_equivalence {

const Clause kClause{
    .id = "C-ZERO-050",
    .name = "T-step equivalence",
    .sentence =
        "After ten steps and more, parameters, master weights, moments and losses are those of "
        "training in one process.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "AdamW, SGD and SGD with momentum over random gradients added in the declared order, and training "
        "of a language model on real text, with accumulation, active clipping and a changing learning rate. "
        "A subject without a declared order gets exact gradients.",
    .bugs = {{"The optimizer held on to parameters from before sharding and trained those.",
              "https://github.com/pytorch/pytorch/issues/149205"},
             {"State made early was keyed by the old parameters and lost when they were replaced.",
              "https://github.com/hpcaitech/ColossalAI/pull/6433"},
             {"Weights were not refreshed after the step; a tolerance of 1 % over three steps hid it.",
              "https://github.com/NVIDIA/Megatron-LM/pull/6336"}},
    .essential = {{"multi_step"}},
    .features = {"adamw", "momentum", "accumulation", "clip_active", "lr_change", "multi_group", "random_gradients",
                 "model_on_text", "quadratic_loss", "last_step_read"},
    .needs = {"missing gradients"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace({GradientSource::kModel, GradientSource::kUniform, GradientSource::kIndexCoded});
  space.min_steps = 10;
  space.max_steps = 12;
  space.vary = {"tensor",  "kv_heads", "experts", "hyper-parameter changes",
                "buckets", "clipping", "loss",    "steps read"};
  space.finish = UseModelWeights;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::t_step_equivalence
