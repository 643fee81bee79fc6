// Cost: bytes, calls and time that a stage promises.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> CostClauses() {
  return {
      {
          .id = "C-ZERO-100",
          .name = "communication volume",
          .family = "cost",
          .sentence = "A step moves no more bytes than its stage's formula, and makes few collectives.",
          .fidelity = Fidelity::kBounded,
          .how = "What the ranks of a replica sent and received in a step, against 2 (W - 1) N elements for stages 1 "
                 "and 2 and 3 (W - 1) N for stage 3, with the padding that the bound allows for; calls against the "
                 "number of buckets.",
          .bugs = {{"A counter was never reset: every parameter had a reduction of its own.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/7415"},
                   {"Stage 2 always made an all-reduce.", "https://github.com/deepspeedai/DeepSpeed/pull/4946"},
                   {"Parameters were gathered twice.", "https://github.com/NVIDIA/Megatron-LM/pull/1645"}},
          .features = {"multi_step", "mesh"},
          .needs = {"compressed communication"},
          .mutants = {"M160", "M161", "M162"},
      },
      {
          .id = "C-ZERO-101",
          .name = "deferral is real",
          .family = "cost",
          .sentence = "When ranks meet once per step, earlier micro-batches move no gradients.",
          .fidelity = Fidelity::kBounded,
          .how = "Two micro-batches and more, reduced once: the bytes of the step are those of one reduction.",
          .bugs = {{"A no_sync that did nothing cost four times the communication.",
                    "https://github.com/NVIDIA/cosmos-framework/issues/161"},
                   {"The root unit was gathered again in every micro-batch.",
                    "https://github.com/pytorch/pytorch/pull/75901"}},
          .features = {"accumulation"},
          .needs = {},
          .mutants = {"M163"},
      },
      {
          .id = "C-ZERO-102",
          .name = "overlap is effective",
          .family = "cost",
          .sentence = "With overlap, collectives are under way while forward or backward computes.",
          .fidelity = Fidelity::kBounded,
          .how = "The recorded timeline of each rank: some collective must have begun before and ended after the "
                 "beginning of a forward or backward.",
          .bugs = {{"A fix made streams wait for each other both ways: the all-reduce waited for the computation.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/7804"},
                   {"A lock around alternating buffers made everything serial.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7371"}},
          .features = {"overlap", "model_on_text"},
          .needs = {"the share of time that is hidden"},
          .mutants = {"M164"},
      },
      {
          .id = "C-ZERO-103",
          .name = "memory estimate",
          .family = "cost",
          .sentence = "What a rank holds is what it estimated before it held anything.",
          .fidelity = Fidelity::kBounded,
          .how =
              "Bytes by kind after the last step and at the peak, against the estimate from the settings and against "
              "what the host counted; bytes on the host against what the mode of offload keeps there.",
          .bugs = {{"Reductions that were waited for in one group only left their buffers behind, step after step.",
                    "https://github.com/ROCm/pytorch/pull/3501"},
                   {"Every rank made the full model; running out of memory looked like a model too big.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8089"}},
          .features = {"offload", "mesh", "accumulation", "multi_step"},
          .needs = {"what other processes hold of the accelerator"},
          .mutants = {"M174", "M175", "M176"},
      },
  };
}

}  // namespace zerocts
