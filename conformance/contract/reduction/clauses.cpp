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
          .mutants = {"M20", "M22", "M23", "M38", "M40", "M122", "M133", "M134", "M203"},
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
          .mutants = {"M24", "M25", "M26", "M37", "M220"},
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
          .mutants = {"M46", "M203"},
      },
      {
          .id = "C-ZERO-012",
          .name = "exactly-once reduction",
          .family = "reduction",
          .sentence = "A contribution enters the reduction once, after the last use of its parameter in backward, "
                      "however often the parameter is used.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Models whose head and embedding share a weight, tied names, one-hot contributions; the mean must "
                 "hold each use exactly once.",
          .bugs = {{"With a submodule used twice per step, gradients were reduced after the first use.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/8224"},
                   {"A shared weight under activation checkpointing was reduced once per use.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/988"}},
          .features = {"model_on_text", "tied", "one_hot"},
          .needs = {"recomputation (activation checkpointing)", "several backward passes per micro-batch"},
          .mutants = {"M166"},
      },
      {
          .id = "C-ZERO-013",
          .name = "missing gradients",
          .family = "reduction",
          .sentence = "A gradient that a micro-batch does not have counts as zero; a parameter that no micro-batch "
                      "of any rank has a gradient for is not updated, and nothing else changes.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Gradients are left out for some micro-batches, on some ranks or on all, other ones in each step; "
                 "parameters, moments and step counts are compared with the reference.",
          .bugs = {{"Ranks that used different parameters waited in different collectives.",
                    "https://github.com/pytorch/pytorch/issues/158719"},
                   {"Only ranks that had a gradient updated their shard.",
                    "https://github.com/pytorch/pytorch/pull/174862"},
                   {"The set of trained parameters changed between iterations, and slots were mixed up.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/1355"},
                   {"Ranks without gradients left the step early: the others hung, and step counts drifted apart.",
                    "https://github.com/facebookresearch/optimizers/pull/149"}},
          .features = {"missing_some", "missing_all", "multi_step"},
          .needs = {"a parameter that joins after the optimizer was made"},
          .mutants = {"M145", "M146"},
      },
      {
          .id = "C-ZERO-016",
          .name = "replica dimension",
          .family = "reduction",
          .sentence = "With R replicas of S shards gradients are added over both dimensions, micro-batches included, "
                      "and the result does not depend on R and S.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Every factorisation of the world size runs the same case with exact gradients; all must have equal "
                 "bits, and those of the reference.",
          .bugs = {{"Hybrid shard with one rank per sharding group never synchronised gradients.",
                    "https://github.com/verl-project/verl/issues/7493"},
                   {"One divide factor gave different gradients on 1-D and 2-D meshes.",
                    "https://github.com/pytorch/pytorch/issues/155903"},
                   {"Gradients accumulated after the all-reduce lost earlier micro-batches of other replicas.",
                    "https://github.com/pytorch/pytorch/pull/125484"}},
          .features = {"mesh", "accumulation", "sync_each"},
          .needs = {},
          .mutants = {"M142", "M143", "M144"},
      },
      {
          .id = "C-ZERO-017",
          .name = "tied parameters",
          .family = "reduction",
          .sentence = "Names of one storage have one owner, one gradient that is the sum of their uses, one state, "
                      "one update and one share of the norm, and always show the same value.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Two names of one parameter, next to each other or far apart, in other buckets and groups, with and "
                 "without clipping.",
          .bugs = {{"Gradients of tied embeddings were all-reduced after a reduce-scatter with other owners.",
                    "https://github.com/NVIDIA/Megatron-LM/issues/844"},
                   {"A tied embedding was counted twice in the norm.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/7228"},
                   {"Sharding untied the weights: two copies were trained apart.",
                    "https://github.com/NVIDIA-NeMo/Automodel/pull/2213"}},
          .features = {"tied", "multi_step", "clip_active"},
          .mutants = {"M147"},
      },
  };
}

}  // namespace zerocts
