// Reduction: the gradient that reaches the optimizer is the mean, complete, once, and of this step.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> ReductionClauses() {
  return {
      {
          .id = "C-ZERO-010",
          .name = "declared mean is exact",
          .family = "reduction",
          .sentence = "The gradient that the optimizer sees is the mean over all W * K micro-batches, for every W "
                      "and K, one rank and odd numbers of ranks included.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Index-coded gradients whose mean is an integer in every order of adding and dividing; SGD with a "
                 "power of two as lr shows it. A wrong factor (W, K, W * K, one over them) is named.",
          .bugs = {{"The divide factor was ignored when the sharding degree was 1.",
                    "https://github.com/pytorch/pytorch/pull/167178"},
                   {"The gradient scale was applied to the whole buffer once per bucket.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/3023"},
                   {"An inverted check skipped the scaling of replicated gradients.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/3754"},
                   {"Every pipeline stage divided by the accumulation count again.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8154"},
                   {"With bf16 and accumulation, gradients became fp32 before the all-reduce of the bf16 ones.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5154"}},
          .features = {"uneven", "accumulation", "multi_step", "bucket_partial"},
          .needs = {"meshes with a dimension of size 1", "declared operations other than the mean"},
          .mutants = {"M20", "M22", "M23", "M38", "M40", "M122", "M133", "M134"},
      },
      {
          .id = "C-ZERO-011",
          .name = "reduction completeness",
          .family = "reduction",
          .sentence = "Every micro-batch's gradient of every element is reduced exactly once, whether its parameter "
                      "fills a bucket, exceeds it or is left over in the last one.",
          .fidelity = Fidelity::kExactInputs,
          .how = "One-hot gradients: each element has one micro-batch on one rank that contributes. The update names "
                 "the contribution that was lost or counted twice. Bucket sizes lie around the parameter sizes.",
          .bugs = {{"A parameter of exactly the bucket size was never reduced.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/4321"},
                   {"A gradient larger than the bucket was put on the list but not into the buffer that was reduced.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/3832"},
                   {"The last, partly filled bucket was not flushed at the end of the step.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/4879"},
                   {"Under the pipeline engine the epilogue of the reduction never ran.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/677"},
                   {"Gradients of parameters excluded from sharding were not synchronised.",
                    "https://github.com/pytorch/pytorch/issues/98281"}},
          .features = {"one_hot", "accumulation", "bucket_partial", "bucket_exact", "bucket_oversize"},
          .needs = {"missing gradients: a parameter that some or all micro-batches do not use",
                    "replicated parameters by declaration"},
          .mutants = {"M24", "M25", "M26", "M37"},
      },
      {
          .id = "C-ZERO-014",
          .name = "no leakage between steps",
          .family = "reduction",
          .sentence = "The update of a step holds gradients of that step only.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Several steps of SGD without momentum, each element's code different in each step: what an element "
                 "moves by in step t must be the code of step t, in the second and later accumulation windows too.",
          .bugs = {{"Zeroing gradients was tied to the ZeRO stages, so at stage 0 with bf16 they stayed.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7839"},
                   {"The receive buffer of a gather was the gradient buffer and was not cleared.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/4609"},
                   {"An owner's gradient of the step before, already reduced, was loaded and reduced once more.",
                    "https://github.com/lodestone-rock/RamTorch/issues/13"}},
          .features = {"multi_step", "multi_window"},
          .needs = {"overflow skip: the gradients of a skipped step",
                    "missing gradients: sets of used parameters that change"},
          .mutants = {"M46"},
      },
  };
}

}  // namespace zerocts
