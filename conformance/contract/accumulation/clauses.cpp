// Accumulation: many micro-batches, few micro-batches, one mean; and where it is rounded.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> AccumulationClauses() {
  return {
      {
          .id = "C-ZERO-020",
          .name = "accumulation equivalence",
          .family = "accumulation",
          .sentence = "K micro-batches are one batch: each contributes once to the update of its own window, in the "
                      "first window and in every later one.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Three windows and more of up to four micro-batches with one-hot and index-coded gradients, with "
                 "offload and small buckets; a contribution that is lost, doubled or late is named.",
          .bugs = {{"A micro-step counter was right in the first window and wrong from the second.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/6550"},
                   {"With offload only the last of several backward passes stayed.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7981"},
                   {"Conversion to fp32 came before the all-reduce of the bf16 gradients.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5154"}},
          .features = {"accumulation", "multi_window", "one_hot"},
          .needs = {"K that changes between windows"},
          .mutants = {"M167"},
      },
      {
          .id = "C-ZERO-021",
          .name = "accumulation dtype",
          .family = "accumulation",
          .sentence = "Sums over micro-batches are kept in the declared precision: what bf16 would absorb is there "
                      "in fp32.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Random gradients over many exponents, up to four micro-batches, sums declared in fp32 and in bf16; "
                 "every bit of the mean is compared.",
          .bugs = {{"Gradients were rounded to bf16 although fp32 reduction was asked for.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/6624"},
                   {"Partial sums of hybrid shard were rounded after every micro-batch.",
                    "https://github.com/pytorch/pytorch/pull/194628"},
                   {"bf16 gradients were accumulated in bf16.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/1800"}},
          .features = {"bf16", "accumulation", "bf16_accumulation"},
          .needs = {},
          .mutants = {"M148"},
      },
      {
          .id = "C-ZERO-022",
          .name = "sync each and no sync",
          .family = "accumulation",
          .sentence = "Reducing after every micro-batch and reducing after the last give the same.",
          .fidelity = Fidelity::kExactInputs,
          .how = "The same case runs both ways with exact gradients; bits must be equal, and those of the reference.",
          .bugs = {{"Outside no_sync a newly reduced gradient replaced the ones before it.",
                    "https://github.com/pytorch/pytorch/issues/73784"},
                   {"Accumulation after the all-reduce lost micro-batches.",
                    "https://github.com/pytorch/pytorch/pull/126166"}},
          .features = {"accumulation", "sync_each"},
          .needs = {"both within one window"},
          .mutants = {"M150"},
      },
      {
          .id = "C-ZERO-023",
          .name = "communication dtype",
          .family = "accumulation",
          .sentence = "The declared dtype travels, and values are rounded at the declared places only.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Random gradients, reductions declared in fp32 and in bf16, with and without replicas; every bit of "
                 "the mean is compared.",
          .bugs = {{"An option for half precision reductions gave wrong results and was removed.",
                    "https://github.com/facebookresearch/fairscale/pull/521"},
                   {"The dtype of the raw gradient chose the bucket it travelled in.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8038"},
                   {"A cast for a broadcast returned a new tensor that nobody kept.",
                    "https://github.com/facebookresearch/fairscale/pull/795"}},
          .features = {"bf16_reduction", "random_gradients"},
          .needs = {"fp16"},
          .mutants = {"M149"},
      },
      {
          .id = "C-ZERO-024",
          .name = "mixed dtypes",
          .family = "accumulation",
          .sentence = "Parameters of several dtypes in one model are never cast through the dtype of another one.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "fp32 parameters beside bf16 ones, in either order, in small and large buckets.",
          .bugs = {{"A coalesced gather allocated every buffer in the dtype of the first parameter.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8073"},
                   {"A fresh parameter of another dtype failed an assertion about uniform gradients.",
                    "https://github.com/pytorch/pytorch/issues/196996"}},
          .features = {"mixed_precisions", "multi_step"},
          .needs = {"integers and fp8"},
          .mutants = {"M168"},
      },
  };
}

}  // namespace zerocts
