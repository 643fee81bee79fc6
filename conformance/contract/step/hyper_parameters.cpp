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

struct Mistake {
  std::string what;
  Experiment experiment;  // what the subject computes if it makes the mistake
};

Experiment ChangesIgnored(Experiment e) {
  e.changes.clear();
  return e;
}

Experiment LearningRateIgnored(Experiment e) {
  for (HyperParameterChange& change : e.changes) change.values.lr = e.groups[change.group].lr;
  return e;
}

Experiment ChangesLate(Experiment e) {
  for (HyperParameterChange& change : e.changes) ++change.step;
  std::erase_if(e.changes, [&](const HyperParameterChange& change) { return change.step >= e.steps; });
  return e;
}

Experiment ChangesOfFirstGroupOnly(Experiment e) {
  std::erase_if(e.changes, [](const HyperParameterChange& change) { return change.group != 0; });
  return e;
}

Experiment FirstGroupForAll(Experiment e) {
  for (ParameterSpec& parameter : e.parameters) parameter.group = 0;
  return e;
}

/// Names the mistake that explains the observed bits, if it is a known one.
std::string KnownMistake(const Case& c, const Observations& ranks) {
  const Experiment& e = c.experiment;
  for (const Mistake& mistake : {Mistake{"the changes never took effect", ChangesIgnored(e)},
                                 Mistake{"changes of the learning rate never took effect", LearningRateIgnored(e)},
                                 Mistake{"the changes took effect one step late", ChangesLate(e)},
                                 Mistake{"only changes of group 0 took effect", ChangesOfFirstGroupOnly(e)},
                                 Mistake{"all groups used the hyper-parameters of group 0", FirstGroupForAll(e)}}) {
    Case mistaken = c;
    mistaken.experiment = mistake.experiment;
    if (mistaken == c) continue;
    if (!CompareWithReference(mistaken, ranks, ReferenceFor(mistaken, ranks))) return mistake.what;
  }
  return "";
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  auto finding = CompareWithReference(c, ranks, ReferenceFor(c, ranks));
  if (!finding) return std::nullopt;
  const std::string mistake = KnownMistake(c, ranks);
  if (!mistake.empty()) finding->sentence = mistake + ": " + finding->sentence;
  return finding;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::hyper_parameters
