#include "conformance/contract/judging.hpp"

namespace zerocts::save_changes_nothing {

const Clause kClause{
    .id = "C-ZERO-090",
    .name = "save is non-destructive",
    .sentence = "Saving changes nothing: the run goes on with the bits of one that was never saved.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "A checkpoint is saved between two steps and nothing is loaded; every read of the steps before and "
        "after is compared.",
    .bugs = {{"Parameters were synchronised for the checkpoint from a buffer that no longer held them.",
              "https://github.com/NVIDIA/Megatron-LM/pull/5236"},
             {"Asking for the state before training left the step count at one.",
              "https://github.com/pytorch/torchtitan/pull/4382"}},
    .essential = {{"save"}},
    .features = {"save", "adamw", "momentum", "accumulation", "uneven", "random_gradients", "offload"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.min_steps = 2;
  space.max_steps = 4;
  space.vary = {"hyper-parameter changes",
                "buffers",
                "loss scaling",
                "buckets",
                "mesh",
                "overlap",
                "offload",
                "clipping",
                "read order",
                "further reads",
                "loss"};
  space.checkpoint = CheckpointUse::kSaveOnly;
  return space;
}

const RegisteredClause registered(kClause, Space, JudgeAgainstReference);

}  // namespace zerocts::save_changes_nothing
