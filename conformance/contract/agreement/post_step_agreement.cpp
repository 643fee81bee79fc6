#include "conformance/contract/judging.hpp"

namespace zerocts::post_step_agreement {

const Clause kClause{
    .id = "C-ZERO-060",
    .name = "post-step agreement",
    .sentence =
        "After every step all ranks hold the same bits of every parameter, and these are the owner's "
        "master weights cast to the parameter dtype.",
    .fidelity = Fidelity::kBitwise,
    .how =
        "Every parameter is read on every rank after every step and compared over the ranks and with the "
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
    .essential = {{"several_ranks"}},
    .features = {"uneven", "multi_step", "multi_group", "past_caches"},
    .needs = {"missing gradients on some ranks"},
    .revision = 4,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace({GradientSource::kIndexCoded, GradientSource::kUniform});
  space.vary = {"block sizes", "buckets", "mesh", "gradient sync", "offload", "clipping", "loss"};
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  return CheckAgreement(c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::post_step_agreement
