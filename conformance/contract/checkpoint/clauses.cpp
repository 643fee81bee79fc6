// Checkpoint: what was saved and loaded goes on as if nothing had happened.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> CheckpointClauses() {
  return {
      {
          .id = "C-ZERO-080",
          .name = "resume exactness",
          .family = "checkpoint",
          .sentence = "A run that is saved after any step, loaded into a fresh engine and trained on ends with the "
                      "bits of the run that was never interrupted.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "The fresh engine is opened with other initial values and the hyper-parameters of the first step. "
                 "Parameters, masters, moments, norms, scales and losses are compared right after the load and in "
                 "every later step; every stage, plan, mesh, offload, optimizer and precision that the subject "
                 "declares.",
          .bugs = {{"Moments were dropped because the fresh optimizer had no state yet to load them into.",
                    "https://github.com/KempnerInstitute/KempnerForge/pull/115"},
                   {"Shards that ranks wrote at the same time were lost: zeros in the file.",
                    "https://github.com/NVIDIA/Megatron-LM/issues/1053"},
                   {"Groups differed between ranks, and the state of one parameter went to another.",
                    "https://github.com/NVIDIA/Megatron-LM/commit/9a45638758"},
                   {"On a mesh of replicas what was loaded was not what had been saved.",
                    "https://github.com/pytorch/pytorch/issues/145978"}},
          .features = {"resume", "adamw", "momentum", "accumulation", "multi_group", "uneven", "random_gradients",
                       "model_on_text", "mesh", "offload", "buffer", "tied"},
          .needs = {"a load in the middle of an accumulation window"},
          .mutants = {"M107", "M109", "M114"},
      },
      {
          .id = "C-ZERO-081",
          .name = "reshard W1 to W2",
          .family = "checkpoint",
          .sentence = "What one number of ranks saved, another number loads: the same logical state, from which it "
                      "trains on.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Two runs. W1 ranks save after a step and are themselves compared to the end. Then W2 ranks, more or "
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
          .features = {"loaded_by_more", "loaded_by_fewer", "adamw", "momentum", "multi_group", "uneven",
                       "numel_below_w", "bucket", "resumed_change", "tied", "buffer", "loaded_on_mesh", "offload"},
          .needs = {"another plan, stage, bucket size or mesh on the ranks that load", "ten ranks or more"},
          .mutants = {"M100", "M101", "M192", "M193", "M194"},
      },
      {
          .id = "C-ZERO-083",
          .name = "state keyed by identity",
          .family = "checkpoint",
          .sentence = "What was saved of a parameter or of a group comes back to that one, whichever groups are empty, "
                      "and whichever parameters are frozen or have no state yet.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Up to four groups whose parameters alternate, some without any; parameters of one shape, so that a "
                 "wrong one fits; parameters that are frozen from the start, or when the checkpoint is saved and "
                 "thawed later; such as had no gradient, and momentum that comes into being when a hyper-parameter "
                 "changes.",
          .bugs = {{"The state of parameters that were frozen later was dropped by the load.",
                    "https://github.com/pytorch/pytorch/issues/192202"},
                   {"With an empty group in front, groups came back without their hyper-parameters.",
                    "https://github.com/pytorch/pytorch/issues/143828"},
                   {"Parameters were divided in another order than they were saved in.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/1240"}},
          .features = {"resume", "adamw", "multi_group", "empty_group", "frozen", "resumed_frozen", "thawed",
                       "missing_all"},
          .needs = {"parameters that the loading engine has in another order"},
          .mutants = {"M105", "M191"},
      },
      {
          .id = "C-ZERO-084",
          .name = "scalars restored",
          .family = "checkpoint",
          .sentence = "A load restores step counts, hyper-parameters of every group, and the loss scale with all that "
                      "its automaton remembers, exactly, and advances none of them.",
          .fidelity = Fidelity::kExactInputs,
          .how = "AdamW with eps near zero, so that an update shows the step count; hyper-parameters of several groups "
                 "that changed since the engine was opened; a dynamic loss scale saved in the middle of its way to "
                 "growth or back-off.",
          .bugs = {{"The step of a parameter group was not saved, and the bias correction began again.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5263"},
                   {"A dummy step at construction replaced the step count that had been loaded.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/2874"},
                   {"The first step after a resume used the constructor's weight decay.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/7468"},
                   {"Only the first parameter group got its hyper-parameters back.",
                    "https://github.com/pytorch/pytorch/issues/143828"},
                   {"The loss scale was another one after a resume.",
                    "https://github.com/huggingface/accelerate/issues/4289"}},
          .features = {"resume", "adamw", "multi_group", "resumed_change", "resumed_scale"},
          .needs = {"random states of the subject"},
          .mutants = {"M102", "M108", "M111", "M112"},
      },
      {
          .id = "C-ZERO-087",
          .name = "published right after load",
          .family = "checkpoint",
          .sentence = "What any rank reads right after a load, before any step, is what was saved: parameters, "
                      "buffers, master weights and moments.",
          .fidelity = Fidelity::kExactInputs,
          .how = "The checkpoint is saved after the last step, so that no step repairs what a load left out. "
                 "Parameters are read in any order on every rank; bf16, tied parameters and buffers, as far as they "
                 "are declared.",
          .bugs = {{"Weights that were loaded came into use only after the next optimizer step.",
                    "https://github.com/NVIDIA-NeMo/Megatron-Bridge/pull/3397"},
                   {"The all-gather after a load was skipped in silence, and training went on from another model.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/6920"}},
          .features = {"resume", "uneven", "adamw", "read_reversed", "read_shuffled", "tied", "buffer"},
          .needs = {"forward and backward right after a load, before any read"},
          .mutants = {"M107", "M109"},
      },
      {
          .id = "C-ZERO-088",
          .name = "missing shard is an error",
          .family = "checkpoint",
          .sentence = "A checkpoint of which a file is missing or cut off is refused by every rank; nothing is put in "
                      "the place of what is not there.",
          .fidelity = Fidelity::kBitwise,
          .how = "After all ranks have saved, a file is taken away, or half of it. The run passes when every rank "
                 "refuses the load, and fails when one loads, hangs or dies. Where every rank loads and shows all that "
                 "was saved, nothing was missing: half of a file may be empty shards.",
          .bugs = {{"Slices of the state that were not found stayed zero, with a warning only.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/5077"},
                   {"Shards that ranks wrote at the same time were lost: zeros in the file.",
                    "https://github.com/NVIDIA/Megatron-LM/issues/1053"},
                   {"Moments that the file lacked were dropped in silence.",
                    "https://github.com/areal-project/AReaL/pull/1468"}},
          .features = {"damaged", "adamw", "uneven"},
          .needs = {"files of two checkpoints mixed", "damage inside of the values"},
          .mutants = {"M110"},
      },
      {
          .id = "C-ZERO-090",
          .name = "save is non-destructive",
          .family = "checkpoint",
          .sentence = "Saving changes nothing: the run goes on with the bits of one that was never saved.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "A checkpoint is saved between two steps and nothing is loaded; every read of the steps before and "
                 "after is compared.",
          .bugs = {{"Parameters were synchronised for the checkpoint from a buffer that no longer held them.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/5236"},
                   {"Asking for the state before training left the step count at one.",
                    "https://github.com/pytorch/torchtitan/pull/4382"}},
          .features = {"save", "adamw", "momentum", "accumulation", "uneven", "random_gradients", "offload"},
          .needs = {"a save between backward and step"},
          .mutants = {"M190"},
      },
  };
}

}  // namespace zerocts
