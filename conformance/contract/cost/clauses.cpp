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
                   {"Stage 2 always made an all-reduce.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/4946"},
                   {"Parameters were gathered twice.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/1645"}},
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
  };
}

}  // namespace zerocts
