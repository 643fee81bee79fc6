// Norm: one number over all shards, and the clipping that follows from it.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> NormClauses() {
  return {
      {
          .id = "C-ZERO-030",
          .name = "global norm",
          .family = "norm",
          .sentence = "The gradient norm is the norm of the whole mean gradient, bit-equal on every rank, whatever "
                      "W, stage and layout are.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "3-4-5 gradients over many scales, with all of the mass in one shard or in two, and random "
                 "gradients added in the declared order. Reported norm, coefficient and update are compared, so a "
                 "number that is right but unused is found as well.",
          .bugs = {{"Clipping used the norm of the local shard.", "https://github.com/pytorch/xla/pull/4796"},
                   {"Partial squared norms were averaged over the ranks, with a wrong count on top.",
                    "https://github.com/karpathy/llm.c/commit/7018280"},
                   {"The norm was taken over the full buffer although only the own shard had been reduced.",
                    "https://github.com/karpathy/llm.c/pull/524"},
                   {"Each of several chained optimizers clipped by its own norm.",
                    "https://github.com/NVIDIA/Megatron-LM/commit/abf10f8590"},
                   {"The norm overflowed because it was computed in the dtype of the gradient.",
                    "https://github.com/facebookresearch/fairscale/pull/263"}},
          .features = {"uneven", "multi_group", "clip_active", "clip_random"},
          .needs = {"fp16: elements whose squares overflow", "replicated parameters: counted once"},
          .mutants = {"M50", "M51", "M53", "M58", "M135", "M136"},
      },
      {
          .id = "C-ZERO-032",
          .name = "clipping effective",
          .family = "norm",
          .sentence = "Every gradient of every group is multiplied by the same min(1, max_norm / (norm + epsilon)); "
                      "below the threshold no bit of it changes, and a zero norm is harmless.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Thresholds above, at, below and far below the norm, and gradients of zero. SGD shows what was "
                 "applied; when groups were scaled differently, their factors are named.",
          .bugs = {{"max(1, c) in place of min amplified gradients and never clipped.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5150"},
                   {"The clip function was handed gradients instead of parameters: right norm, nothing scaled.",
                    "https://github.com/huggingface/transformers/pull/46113"},
                   {"The iterator over the parameters was used up before clipping.",
                    "https://github.com/areal-project/AReaL/pull/335"},
                   {"Clipping was switched off for bf16.", "https://github.com/deepspeedai/DeepSpeed/pull/3790"}},
          .features = {"clip_active", "clip_inactive", "multi_group"},
          .needs = {"fp16 gradients"},
          .mutants = {"M55", "M56", "M61"},
      },
      {
          .id = "C-ZERO-031",
          .name = "each element counted once",
          .family = "norm",
          .sentence = "Every element of the mean gradient is in the norm once: shared, replicated and frozen ones, "
                      "and those that other ranks hold.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Meshes of replicas, tied names and frozen parameters under clipping; the norm itself and what it "
                 "clips are compared.",
          .bugs = {{"Unsharded gradients were counted once per rank.", "https://github.com/pytorch/pytorch/pull/88955"},
                   {"Replicated parameters were counted once per rank of the sharding group.",
                    "https://github.com/mindspore-ai/hyper-parallel/issues/279"},
                   {"Gradients of experts were left out or doubled, by the group that was asked.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/5916"}},
          .features = {"mesh", "tied", "frozen", "clip_active"},
          .needs = {"tensor parallelism, experts"},
          .mutants = {"M151"},
      },
      {
          .id = "C-ZERO-033",
          .name = "norm types and empty ranks",
          .family = "norm",
          .sentence = "The 1-norm, the 2-norm and the largest magnitude are each their own, and a rank that owns "
                      "nothing contributes nothing.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "All declared norms and clip formulas over degenerate shapes: ranks without elements, parameters "
                 "without elements, gradients of zero.",
          .bugs = {{"The type of the norm was ignored, or its root was not taken.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8313"},
                   {"A rank without parameters made the reduction of the norm hang.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/1522"}},
          .features = {"clip_norm_one", "clip_norm_infinity", "empty_rank", "clip_active"},
          .needs = {"p = 3"},
          .mutants = {"M152"},
      },
      {
          .id = "C-ZERO-034",
          .name = "unscale before clip",
          .family = "norm",
          .sentence = "Norm and clipping see gradients divided by the scale that this backward used, also in a step "
                      "in which the scale changes.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Static and dynamic scales, thresholds around the unscaled norm, several steps with overflows "
                 "between them.",
          .bugs = {{"Gradients were divided by the scale after its update.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/2695"},
                   {"Clipping took gradients for scaled that were not.", "https://github.com/NVIDIA/apex/pull/1512"}},
          .features = {"loss_scaling", "dynamic_scale", "clip_active"},
          .needs = {},
          .mutants = {"M153"},
      },
      {
          .id = "C-ZERO-035",
          .name = "non-finite norm policy",
          .family = "norm",
          .sentence = "A norm that is not finite skips the step under loss scaling, on all ranks, and turns no "
                      "parameter into NaN.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Infinities and NaN in gradients under clipping by every norm; all parameters and states must stay "
                 "finite and those of the reference.",
          .bugs = {{"An infinite norm became NaN through a mask times infinity.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7171"},
                   {"The check for infinities came after the optimizer step.",
                    "https://github.com/pytorch/torchtitan/pull/4226"}},
          .features = {"overflow", "clip_active"},
          .needs = {"the policy of an error instead of a skip"},
          .mutants = {"M169"},
      },
  };
}

}  // namespace zerocts
