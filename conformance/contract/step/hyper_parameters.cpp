#include "conformance/contract/judging.hpp"

namespace zerocts::hyper_parameters {

const Clause kClause{
    .id = "C-ZERO-052",
    .name = "hyper-parameter propagation",
    .sentence =
        "A learning rate, weight decay, momentum or beta that is changed between two steps holds from "
        "the next step on, for its group, on every rank.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "The learning rate is doubled or halved and the others change between steps, group by group. When a "
        "run differs from the reference, it is compared with runs in which the changes are ignored, come "
        "one step late or come from the first group.",
    .bugs = {{"The inner optimizer worked on copies of the groups and never saw a new learning rate.",
              "https://github.com/facebookresearch/fairscale/pull/58"},
             {"Loading replaced the groups, and the scheduler went on changing the old ones.",
              "https://github.com/NVIDIA/apex/issues/766"},
             {"A scheduler returned one learning rate for many groups.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7969"},
             {"Named groups were built without their learning-rate mapper.",
              "https://github.com/huggingface/nanotron/commit/ea196963"}},
    .essential = {{"lr_change", "hyper_change"}},
    .features = {"lr_change", "hyper_change", "multi_group", "sgd", "adamw"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.min_steps = 2;
  space.max_steps = 5;
  space.max_groups = 3;
  space.vary = {"hyper-parameter changes", "loss"};
  space.keep = [](const Case& c) { return !c.experiment.changes.empty(); };
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  auto finding = CompareWithReference(c, ranks, ReferenceFor(c, ranks));
  if (!finding) return std::nullopt;
  if (!trial.Causes().empty()) finding->sentence = trial.Causes().front() + ": " + finding->sentence;
  return finding;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::hyper_parameters
