// Asynchrony: what is under way at the same time cannot be seen in the results.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> AsynchronyClauses() {
  return {
      {
          .id = "C-ZERO-070",
          .name = "overlap transparency",
          .family = "asynchrony",
          .sentence = "Collectives that run beside forward and backward change no bit.",
          .fidelity = Fidelity::kBitwise,
          .how = "The same case with overlap on and off; real training of models and given gradients, with small "
                 "buckets. Bits must be equal, and those of the reference.",
          .bugs = {{"The next bucket overwrote the buffer that was still being reduced.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/5606"},
                   {"The index of alternating buffers was reset too early.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7805"}},
          .features = {"overlap", "model_on_text", "multi_step"},
          .needs = {"prefetch depth"},
          .mutants = {"M173"},
      },
      {
          .id = "C-ZERO-071",
          .name = "schedule invariance",
          .family = "asynchrony",
          .sentence = "Runs of one case have the same bits, however long single operations and ranks take.",
          .fidelity = Fidelity::kBitwise,
          .how = "Each case runs three times; a device with random delays gives each run another schedule.",
          .bugs = {{"The reduction waited for the default stream instead of the one that produced the gradients.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7898"},
                   {"Hooks of backward ran in several threads at once.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7825"},
                   {"Only the last of several handles was waited for.",
                    "https://github.com/facebookresearch/fairscale/pull/499"}},
          .features = {"overlap", "offload", "multi_step"},
          .needs = {"gradients from several threads"},
          .mutants = {"M93"},
      },
      {
          .id = "C-ZERO-072",
          .name = "collective order",
          .family = "asynchrony",
          .sentence = "All ranks of a group make the same collectives in the same order, whatever gradients they "
                      "have, and end within the deadline.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Ranks with different missing gradients, ranks that own nothing, frozen parameters; a hang names "
                 "the ranks that are missing.",
          .bugs = {{"The order in which gradients became ready differed between ranks.",
                    "https://github.com/pytorch/pytorch/issues/64629"},
                   {"A hook that refreshes weights ran on some ranks only.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/6336"}},
          .features = {"missing_some", "empty_rank"},
          .needs = {},
          .mutants = {"M96"},
      },
      {
          .id = "C-ZERO-073",
          .name = "offload copies complete",
          .family = "asynchrony",
          .sentence = "Copies to the host are complete before the host reads, copies to the device before the device "
                      "reads.",
          .fidelity = Fidelity::kBitwise,
          .how = "The same case with and without offload; a device with delays and poisoned destinations shows who "
                 "did not wait.",
          .bugs = {{"A stream was waited for that had nothing to do with the copy.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/3140"},
                   {"A hook saw pinned memory before the copy into it.",
                    "https://github.com/pytorch/pytorch/pull/180666"},
                   {"A copy that did not block gave other results.",
                    "https://github.com/facebookresearch/fairscale/pull/496"}},
          .features = {"offload", "multi_step"},
          .needs = {},
          .mutants = {"M95"},
      },
      {
          .id = "C-ZERO-074",
          .name = "buffer lifetime",
          .family = "asynchrony",
          .sentence = "Memory that an operation under way uses is neither overwritten nor freed nor given to another "
                      "one.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Many small buckets under way at once over several steps; a device with delays fills destinations "
                 "with NaN until they are written.",
          .bugs = {{"Reduction buffers were freed while queued work used them.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7965"},
                   {"A copy of a partition raced with a prefetched gather.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/5059"},
                   {"A list of reductions was drained by the last group only.",
                    "https://github.com/ROCm/pytorch/pull/3501"}},
          .features = {"bucket", "multi_step", "overlap"},
          .needs = {},
          .mutants = {"M90", "M91", "M92", "M94"},
      },
  };
}

}  // namespace zerocts
