// Step: the optimizer's own arithmetic, its counters and its hyper-parameters.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> StepClauses() {
  return {
      {
          .id = "C-ZERO-050",
          .name = "T-step equivalence",
          .family = "step",
          .sentence = "After ten steps and more, parameters, master weights, moments and losses are those of "
                      "training in one process.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "AdamW, SGD and SGD with momentum over random gradients added in the declared order, and training "
                 "of a language model on real text, with accumulation, active clipping and a changing learning rate. "
                 "A subject without a declared order gets exact gradients.",
          .bugs = {{"The optimizer held on to parameters from before sharding and trained those.",
                    "https://github.com/pytorch/pytorch/issues/149205"},
                   {"State made early was keyed by the old parameters and lost when they were replaced.",
                    "https://github.com/hpcaitech/ColossalAI/pull/6433"},
                   {"Weights were not refreshed after the step; a tolerance of 1 % over three steps hid it.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/6336"}},
          .features = {"adamw", "momentum", "accumulation", "clip_active", "lr_change", "multi_group",
                       "random_gradients", "model_on_text"},
          .needs = {"load/resume in the middle of a run", "missing gradients"},
          .mutants = {"M78", "M79", "M140"},
      },
      {
          .id = "C-ZERO-051",
          .name = "step count and bias correction",
          .family = "step",
          .sentence = "The step count of every group starts at zero, grows by one per applied step and belongs to no "
                      "other group.",
          .fidelity = Fidelity::kExactInputs,
          .how = "AdamW with eps near zero, so that the first update is lr times the sign of the gradient, and the "
                 "following ones by the reference; several groups, an empty one among them. A wrong count is named.",
          .bugs = {{"An optimizer step over dummy gradients at construction advanced the counter.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5104"},
                   {"Sub-groups shared one Adam step counter, advanced once for each.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/1823"},
                   {"The counter was kept on the last active parameter and used for its whole dtype.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8471"},
                   {"Initialising state left the counter at one.", "https://github.com/pytorch/torchtitan/pull/4382"},
                   {"Groups without parameters never got a step count.",
                    "https://github.com/NVIDIA/TransformerEngine/pull/3318"}},
          .features = {"adamw", "multi_group", "empty_group", "multi_step"},
          .needs = {"missing gradients: a parameter that joins late", "load/resume: the saved count",
                    "overflow skip: a skipped step is not counted"},
          .mutants = {"M72", "M73"},
      },
      {
          .id = "C-ZERO-052",
          .name = "hyper-parameter propagation",
          .family = "step",
          .sentence = "A learning rate, weight decay, momentum or beta that is changed between two steps holds from "
                      "the next step on, for its group, on every rank.",
          .fidelity = Fidelity::kExactInputs,
          .how = "The learning rate is doubled or halved and the others change between steps, group by group. When a "
                 "run differs from the reference, it is compared with runs in which the changes are ignored, come "
                 "one step late or come from the first group.",
          .bugs = {{"The inner optimizer worked on copies of the groups and never saw a new learning rate.",
                    "https://github.com/facebookresearch/fairscale/pull/58"},
                   {"Loading replaced the groups, and the scheduler went on changing the old ones.",
                    "https://github.com/NVIDIA/apex/issues/766"},
                   {"A scheduler returned one learning rate for many groups.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7969"},
                   {"Named groups were built without their learning-rate mapper.",
                    "https://github.com/huggingface/nanotron/commit/ea196963"}},
          .features = {"lr_change", "hyper_change", "multi_group", "sgd", "adamw"},
          .needs = {"load/resume: changes after a load"},
          .mutants = {"M74", "M75", "M137"},
      },
  };
}

}  // namespace zerocts
