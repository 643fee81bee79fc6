#include "conformance/contract/judging.hpp"

namespace zerocts::overflow_consensus {

const Clause kClause{
    .id = "C-ZERO-040",
    .name = "global overflow consensus",
    .sentence =
        "One value that is not finite, on any rank, in any parameter and shard, makes all ranks take "
        "the same decision.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Infinities and NaN at random places of random ranks, with replicas, offload, small buckets and each norm; the "
        "decision, "
        "the parameters and the scales of all ranks are compared with each other and with the reference.",
    .bugs = {{"The flag of an overflow was read before its all-reduce had ended: only one rank skipped.",
              "https://github.com/pytorch/pytorch/pull/115710"},
             {"NaN was looked for after the communication, where its origin is lost.",
              "https://github.com/NVIDIA/Megatron-LM/commit/d66807759c"}},
    .essential = {{"overflow"}, {"several_ranks"}},
    .features = {"overflow", "loss_scaling"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.vary = {"loss scaling", "buckets", "mesh", "offload", "clipping", "clip norm", "loss"};
  space.min_steps = 2;
  space.max_steps = 4;
  space.keep = ScalesLoss;
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckAgreement(c, ranks)) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::overflow_consensus
