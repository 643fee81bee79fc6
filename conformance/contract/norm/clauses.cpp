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
          .features = {"uneven", "multi_group", "clip_active", "random_gradients"},
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
  };
}

}  // namespace zerocts
