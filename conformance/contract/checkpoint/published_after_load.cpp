#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts::published_after_load {

const Clause kClause{
    .id = "C-ZERO-087",
    .name = "published right after load",
    .sentence =
        "What any rank reads right after a load, before any step, is what was saved: parameters, "
        "buffers, master weights and moments.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "The checkpoint is saved after the last step, so that no step repairs what a load left out. "
        "Parameters are read in any order on every rank; bf16, tied parameters and buffers, as far as they "
        "are declared.",
    .bugs = {{"Weights that were loaded came into use only after the next optimizer step.",
              "https://github.com/NVIDIA-NeMo/Megatron-Bridge/pull/3397"},
             {"The all-gather after a load was skipped in silence, and training went on from another model.",
              "https://github.com/NVIDIA/Megatron-LM/pull/6920"}},
    .essential = {{"resume"}},
    .features = {"resume", "uneven", "adamw", "read_reversed", "read_shuffled", "tied", "buffer"},
    .needs = {"forward and backward right after a load, before any read"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.max_steps = 2;
  space.vary = {"buffers", "tied names", "mixed precisions", "buckets", "mesh",
                "offload", "read order", "further reads",    "loss"};
  space.checkpoint = CheckpointUse::kResume;
  space.keep = HasNoEmptyGroup;
  space.finish = [](Case& c) {
    GiveMomentumToAllOrNone(c.experiment);
    c.checkpoint->after_step = c.experiment.steps - 1;
  };
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::published_after_load
