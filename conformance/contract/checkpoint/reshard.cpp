#include "conformance/cases/whole/features.hpp"
#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts::reshard {

const Clause kClause{
    .id = "C-ZERO-081",
    .name = "reshard W1 to W2",
    .sentence =
        "What one number of ranks saved, another number loads: the same logical state, from which it "
        "trains on.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "Two runs. W1 ranks save after a step and are themselves compared to the end. Then W2 ranks, more or "
        "fewer, open fresh engines with other initial values and the hyper-parameters of the first step, and "
        "load: first their shards must tile every parameter, then parameters, masters and moments are "
        "compared, and every step that they go on with on their own data.",
    .bugs = {{"The alignment padding of the optimizer state was taken for elements by another number of ranks.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5105"},
             {"Files of shards were merged in alphabetical order: rank 10 before rank 9.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5342"},
             {"New ranks looked for files of their own, which nobody had written.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7599"},
             {"Parameters behind the first bucket were read from wrong offsets, and what was missing was zero.",
              "https://github.com/NVIDIA/Megatron-LM/pull/5077"},
             {"The whole size was taken to be the local one times the number of ranks.",
              "https://github.com/pytorch/pytorch/pull/123812"}},
    .essential = {{"loaded_by_more", "loaded_by_fewer"}},
    .features = {"loaded_by_more", "loaded_by_fewer", "adamw", "momentum", "multi_group", "uneven", "numel_below_w",
                 "bucket", "resumed_change", "tied", "buffer", "loaded_on_mesh", "offload"},
    .needs = {"another plan, stage, bucket size or mesh on the ranks that load"},
    .revision = 2,
};

/// C-ZERO-083 asks what a load makes of a parameter that is frozen then.
bool SavesFrozen(const Case& c) { return HasFeature(c, "resumed_frozen"); }

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.max_groups = 3;
  space.vary = {"hyper-parameter changes",
                "buffers",
                "tied names",
                "mixed precisions",
                "frozen parameters",
                "buckets",
                "mesh",
                "offload",
                "loss"};
  space.checkpoint = CheckpointUse::kReshard;
  space.keep = [](const Case& c) { return HasNoEmptyGroup(c) && !SavesFrozen(c); };
  space.finish = [](Case& c) { GiveMomentumToAllOrNone(c.experiment); };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeResharded);

}  // namespace zerocts::reshard
