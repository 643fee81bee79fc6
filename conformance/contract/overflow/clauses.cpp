// Overflow: what happens to a step whose gradients are not finite, and to the loss scale.
#include "conformance/contract/families.hpp"

namespace zerocts {

std::vector<Clause> OverflowClauses() {
  return {
      {
          .id = "C-ZERO-040",
          .name = "global overflow consensus",
          .family = "overflow",
          .sentence = "One value that is not finite, on any rank, in any parameter and shard, makes all ranks take "
                      "the same decision.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Infinities and NaN at random places of random ranks, with offload and small buckets; the decision, "
                 "the parameters and the scales of all ranks are compared with each other and with the reference.",
          .bugs = {{"The flag of an overflow was read before its all-reduce had ended: only one rank skipped.",
                    "https://github.com/pytorch/pytorch/pull/115710"},
                   {"NaN was looked for after the communication, where its origin is lost.",
                    "https://github.com/NVIDIA/Megatron-LM/commit/d66807759c"}},
          .features = {"overflow", "loss_scaling"},
          .needs = {},
          .mutants = {"M155"},
      },
      {
          .id = "C-ZERO-041",
          .name = "skip is a no-op",
          .family = "overflow",
          .sentence = "A skipped step leaves parameters, master weights, moments and step counts as they were.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "SGD with momentum and AdamW; after a skipped step every bit is the one before it, and later steps "
                 "are those of a reference that skipped too.",
          .bugs = {{"A skipped step had already changed the momentum.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/8432"},
                   {"The check for finite values ran after the optimizer step.",
                    "https://github.com/pytorch/torchtitan/pull/4226"}},
          .features = {"overflow", "momentum", "adamw", "multi_step"},
          .needs = {"schedules that count applied steps"},
          .mutants = {"M154"},
      },
      {
          .id = "C-ZERO-042",
          .name = "loss-scale trajectory",
          .family = "overflow",
          .sentence = "The loss scale follows its declared automaton: backoff, growth interval, hysteresis and "
                      "minimum; on every rank the same.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "Twelve to twenty steps with planted overflows and short growth intervals; the scale of every step "
                 "is compared.",
          .bugs = {{"Grids of ranks kept different scales after one of them overflowed.",
                    "https://github.com/NVIDIA/Megatron-LM/pull/5331"},
                   {"One stage lost several levels of scale in one step, another was late by one.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/1599"}},
          .features = {"dynamic_scale", "overflow"},
          .needs = {},
          .mutants = {"M156"},
      },
      {
          .id = "C-ZERO-043",
          .name = "skip is observable",
          .family = "overflow",
          .sentence = "A step that was skipped says so.",
          .fidelity = Fidelity::kDeclaredOrder,
          .how = "What the step reports is compared with the reference: skipped or not, and the scale it used.",
          .bugs = {{"With a static scale steps were skipped without any signal, for a whole training.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/8415"},
                   {"Optimizer steps were skipped silently at the first scale.",
                    "https://github.com/deepspeedai/DeepSpeed/issues/8432"}},
          .features = {"overflow"},
          .needs = {},
          .mutants = {"M157"},
      },
  };
}

}  // namespace zerocts
