#include "conformance/contract/judging.hpp"

namespace zerocts::schedule_invariance {

const Clause kClause{
    .id = "C-ZERO-071",
    .name = "schedule invariance",
    .sentence = "Runs of one case have the same bits, however long single operations and ranks take.",
    .fidelity = Fidelity::kBitwise,
    .how = "Each case runs three times; a device with random delays gives each run another schedule.",
    .bugs = {{"The reduction waited for the default stream instead of the one that produced the gradients.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7898"},
             {"Hooks of backward ran in several threads at once.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7825"},
             {"Only the last of several handles was waited for.",
              "https://github.com/facebookresearch/fairscale/pull/499"}},
    .essential = {{"overlap", "offload", "several_ranks"}},
    .features = {"overlap", "offload", "multi_step"},
    .needs = {"gradients from several threads"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace({GradientSource::kModel, GradientSource::kUniform});
  space.vary = {"tensor", "buckets", "mesh", "gradient sync", "overlap", "offload", "loss", "steps read"};
  space.finish = UseModelWeights;
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = AgainstReference(trial, c, ranks)) return finding;
  for (int again = 0; again < 2; ++again) {
    if (auto finding = CompareRuns(c, ranks, c, trial.Observe(c), "the moment at which it ran")) return finding;
  }
  return std::nullopt;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::schedule_invariance
