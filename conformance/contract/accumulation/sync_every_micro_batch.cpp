#include "conformance/contract/judging.hpp"

namespace zerocts::sync_every_micro_batch {

const Clause kClause{
    .id = "C-ZERO-022",
    .name = "sync every micro-batch and no sync",
    .sentence = "Reducing after every micro-batch and reducing after the last give the same.",
    .fidelity = Fidelity::kExactInputs,
    .how = "The same case runs both ways with exact gradients; bits must be equal, and those of the reference.",
    .bugs = {{"Outside no_sync a newly reduced gradient replaced the ones before it.",
              "https://github.com/pytorch/pytorch/issues/73784"},
             {"Accumulation after the all-reduce lost micro-batches.",
              "https://github.com/pytorch/pytorch/pull/126166"}},
    .essential = {{"accumulation"}, {"sync_every_micro_batch"}},
    .features = {"accumulation", "sync_every_micro_batch"},
    .needs = {"both within one window"},
    .revision = 3,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.max_micro_batches = 4;
  space.vary = {"gradient sync", "clipping", "loss"};
  space.keep = [](const Case& c) { return IsExact(c.experiment); };  // its runs add in different orders
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = AgainstReference(trial, c, ranks)) return finding;
  if (trial.can().gradient_sync.size() < 2) return std::nullopt;
  Case other = c;
  other.gradient_sync = c.gradient_sync == GradientSync::kEveryMicroBatch ? GradientSync::kLastMicroBatch
                                                                          : GradientSync::kEveryMicroBatch;
  return CompareRuns(c, ranks, other, trial.Observe(other), "when ranks reduce, after each micro-batch or the last");
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::sync_every_micro_batch
