// Agreement: after a step every rank sees the same new parameters, however it reads them.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> AgreementClauses() {
  return {
      {
          .id = "C-ZERO-060",
          .name = "post-step agreement",
          .family = "agreement",
          .sentence = "After every step all ranks hold the same bits of every parameter, and these are the owner's "
                      "master weights cast to the parameter dtype.",
          .fidelity = Fidelity::kBitwise,
          .how = "Every parameter is read on every rank after every step and compared over the ranks and with the "
                 "master weights of the rank that owns the element. No reference is asked.",
          .bugs = {{"The broadcast after the step skipped most parameters.",
                    "https://github.com/lodestone-rock/RamTorch/issues/13"},
                   {"A cast for the broadcast returned a new tensor that nobody kept.",
                    "https://github.com/facebookresearch/fairscale/pull/795"},
                   {"The first optimizer's publication zeroed a staging buffer that the second still needed.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/4769"},
                   {"A shard was copied into the low-precision partition of another group.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/2058"},
                   {"The last micro-batch was added on each rank after the all-reduce.",
                    "https://github.com/deepspeedai/DeepSpeed/pull/7985"}},
          .features = {"uneven", "multi_step", "multi_group"},
          .needs = {"replica sets smaller than the world", "missing gradients on some ranks"},
          .mutants = {"M80", "M123", "M138", "M139"},
      },
      {
          .id = "C-ZERO-061",
          .name = "read-after-step freshness",
          .family = "agreement",
          .sentence = "A read shows the parameters of the last finished step: the new ones directly after it, in any "
                      "order and again, the old ones before it.",
          .fidelity = Fidelity::kExactInputs,
          .how = "Parameters are read directly after the step in registration, reversed and shuffled order, a second "
                 "time, and between the last gradient and the step; each read must have the reference's bits of its "
                 "moment.",
          .bugs =
              {{"Gathers were served in bucket order only, and a module called out of order computed with old weights.",
                "https://github.com/NVIDIA/Megatron-LM/issues/950"},
               {"Validation ran while the gather of the last step was still pending.",
                "https://github.com/NVIDIA/Megatron-LM/commit/33111c9c9a"},
               {"The hook that refreshes weights after the step was inherited as a no-op.",
                "https://github.com/NVIDIA/Megatron-LM/pull/6336"},
               {"summon_full_params read before the all-gather had ended.",
                "https://github.com/pytorch/pytorch/pull/73314"},
               {"A released parameter was marked available through a stale handle.",
                "https://github.com/deepspeedai/DeepSpeed/issues/8486"}},
          .features = {"read_reversed", "read_shuffled", "read_before_step", "read_twice", "multi_step"},
          .needs = {"lazy gather: access to a parameter that is not gathered fails loudly",
                    "reads through a checkpoint"},
          .mutants = {"M81", "M82", "M83", "M205"},
      },
      {
          .id = "C-ZERO-064",
          .name = "buffers",
          .family = "agreement",
          .sentence = "Buffers keep their values and their dtype on every rank; no step, decay or rounding of others "
                      "reaches them.",
          .fidelity = Fidelity::kBitwise,
          .how = "Buffers of both dtypes between parameters, read back on every rank after every step.",
          .bugs = {{"Buffers were broadcast on every micro-batch.",
                    "https://github.com/facebookresearch/fairscale/pull/1075"},
                   {"Buffers were kept and saved in half precision.",
                    "https://github.com/facebookresearch/fairscale/issues/442"}},
          .features = {"buffer", "multi_step"},
          .needs = {"buffers that forward changes", "integers"},
          .mutants = {"M172"},
      },
  };
}

}  // namespace zerocts
