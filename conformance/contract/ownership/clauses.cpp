// Ownership: who holds which element, and that nobody can tell from the results.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> OwnershipClauses() {
  return {
      {
          .id = "C-ZERO-001",
          .name = "shard coverage",
          .family = "ownership",
          .sentence = "Every element of every parameter has exactly one owner among the ranks, and its owner updates "
                      "it exactly once per step.",
          .fidelity = Fidelity::kExactInputs,
          .how = "The intervals that the ranks report must tile every parameter. Then, with SGD, lr = 1 and a "
                 "gradient in which every element has an integer code of its own, each element must move by exactly "
                 "its code: an element that stands still has no owner, one that moves twice has two, one that moves "
                 "by another element's code was put in the wrong place.",
          .bugs = {{"The partition length of a group came from the world size instead of the group's own size, so "
                    "its tail had no owner.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5681"},
                   {"The layout was made for more shards than the collective had ranks, and the last shards belonged "
                    "to nobody.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/6048"},
                   {"The intersection of a tensor with a shard used >= where > was right and touched memory beside "
                    "the shard.",
                    "https://github.com/karpathy/llm.c/pull/464"},
                   {"The amount of padding was len % W instead of (-len) % W.",
                    "https://github.com/KellerJordan/Muon/pull/28"},
                   {"Sub-partitions after a reduce-scatter were stitched together in parameter order, not in the "
                    "order they were sent.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/318"}},
          .features = {"uneven", "boundary_inside", "boundary_on_edge"},
          .needs = {"sharding groups smaller than the world (hybrid shard, expert parallelism)"},
          .mutants = {"M01", "M02", "M06", "M130", "M131", "M204"},
      },
      {
          .id = "C-ZERO-003",
          .name = "padding inertness",
          .family = "ownership",
          .sentence = "What lies in padding and in fresh memory never reaches a parameter, a moment or the norm.",
          .fidelity = Fidelity::kBitwise,
          .how = "Each case runs twice, once with every allocation filled with NaN and once with zeros. Both runs "
                 "must show equal bits everywhere, and the bits of the reference.",
          .bugs = {{"A padded buffer was walked with unpadded strides, and its uninitialised tail was summed into "
                    "the next parameter.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8158"},
                   {"The padding of a shard came from torch.empty and was never zeroed.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/3832"},
                   {"The input of a reduce-scatter was padded for the world size instead of the group that reduced it.",
                    "https://github.com/facebookresearch/fairscale/pull/907"}},
          .features = {"uneven", "clip_active"},
          .needs = {"overflow skip: padding must not trigger it", "checkpoint: exported tensors hold numel elements"},
          .mutants = {"M07", "M132", "M204"},
      },
      {
          .id = "C-ZERO-004",
          .name = "degenerate shapes",
          .family = "ownership",
          .sentence = "Parameters with fewer elements than ranks, with none or without dimensions, ranks that own "
                      "nothing, groups without parameters and models of one parameter train like any other.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Each degenerate shape alone and mixed with regular ones, against the reference; a crash, a hang or "
                 "a refusal fails too.",
          .bugs = {{"A parameter group with fewer elements than ranks crashed.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/129"},
                   {"A parameter smaller than the world worked on 4 GPUs and failed on 8.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/940"},
                   {"Parameters without elements broke the partition walk of stages 1 and 2.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8280"},
                   {"The gather was skipped when the elements to fetch added up to none.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8375"},
                   {"Ranks without gradients crashed in the infinity norm.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/5530"}},
          .features = {"numel_below_w", "empty_rank", "zero_numel", "scalar", "one_parameter", "empty_group"},
          .needs = {"load/resume: ranks without a shard",
                    "shapes in the ABI: a zero-element parameter keeps its shape"},
          .mutants = {"M07", "M08", "M09"},
      },
      {
          .id = "C-ZERO-005",
          .name = "layout invariance",
          .family = "ownership",
          .sentence = "Bucket size, shard plan, flattening and registration order cannot be seen in the results.",
          .fidelity = Fidelity::kBitwise,
          .how = "Each case runs again with buckets of one element, numel - 1, numel, numel + 1, all and twice all "
                 "elements, with every declared plan, with neighbouring parameters joined into one and with the "
                 "parameters registered in reverse. Where the parameters are the same, the runs must have equal "
                 "bits; all must have the bits of the reference, which knows no layout.",
          .bugs = {{"Only the whole buffer was padded to a multiple of the ranks, single buckets were not, and "
                    "results were wrong.",
                    "https://github.com/NVIDIA/Megatron-LM/issues/561"},
                   {"Opening a bucket of its own for a shared embedding left the next start index unpadded.",
                    "https://github.com/NVIDIA/Megatron-LM/commit/ba8f2defc5"},
                   {"A parameter as large as the bucket was never reduced: < stood where <= belongs.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/4321"},
                   {"Users saw convergence depend on reduce_bucket_size.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/6351"}},
          .features = {"uneven", "boundary_inside", "multi_group", "multi_step"},
          .needs = {"sub-group size and alignment as options of a case",
                    "overlap: reuse of a bucket before its reduction ended"},
          .mutants = {"M25", "M26", "M204"},
      },
      {
          .id = "C-ZERO-007",
          .name = "state really partitioned",
          .family = "ownership",
          .sentence =
              "A rank holds no more than its share of the optimizer state from stage 1 on, of the gradients from "
              "stage 2 on, of the parameters in stage 3, and says truthfully what it holds.",
          .fidelity = Fidelity::kBounded,
          .how = "Large parameters. Per rank, the bytes of optimizer state must not exceed ceil(total / W) elements "
                 "of master weights and moments plus the declared slack; gradients and parameters likewise. What the "
                 "subject reports is compared with "
                 "what the host's allocator counted and with the growth of the process seen from outside.",
          .bugs = {{"Parameters were constructed before the process group existed, so the world silently had one "
                    "rank and nothing was sharded.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/8089"},
                   {"Clamping hybrid shard to one rank per shard silently turned sharding off.",
                    "https://github.com/verl-project/verl/pull/7494"}},
          .features = {"adamw", "momentum"},
          .needs = {},
          .mutants = {"M10", "M120", "M121", "M165", "M221"},
      },
      {
          .id = "C-ZERO-002",
          .name = "group-relative ownership",
          .family = "ownership",
          .sentence = "Who owns which element follows from a rank's place in its sharding group and from the size of "
                      "that group, never from the world.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Meshes of several replicas. Within each replica the intervals must tile every parameter, and each "
                 "element must move by its own code on every rank.",
          .bugs = {{"The partition of a group was copied by the index of another group.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/2058"},
                   {"Partition sizes of expert groups came from the size of the whole world.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5681"},
                   {"Broadcasts came from rank 0 of the world instead of rank 0 of the group.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/2999"}},
          .features = {"mesh", "uneven"},
          .needs = {"groups that are not made of neighbouring ranks",
                    "parameter groups on process groups of different sizes"},
          .mutants = {"M141"},
      },
  };
}

}  // namespace zerocts
