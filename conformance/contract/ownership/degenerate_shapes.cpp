#include "conformance/contract/judging.hpp"

namespace zerocts::degenerate_shapes {

const Clause kClause{
    .id = "C-ZERO-004",
    .name = "degenerate shapes",
    .sentence =
        "Parameters with fewer elements than ranks, with none or without dimensions, ranks that own "
        "nothing, groups without parameters and models of one parameter train like any other.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "Each degenerate shape alone and mixed with regular ones, with replicas and offload, too, against the "
        "reference; a crash, a hang or "
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
    .essential = {{"numel_below_w", "empty_rank", "zero_numel", "scalar", "one_parameter", "empty_group"}},
    .features = {"numel_below_w", "empty_rank", "zero_numel", "scalar", "one_parameter", "empty_group"},
    .needs = {"load/resume: ranks without a shard", "shapes in the ABI: a zero-element parameter keeps its shape"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space{.shapes = ShapeStyle::kDegenerate};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.max_steps = 2;
  space.vary = {"mesh", "offload", "clipping", "loss"};
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::degenerate_shapes
