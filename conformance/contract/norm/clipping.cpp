#include <fmt/format.h>

#include <cmath>

#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::clipping {

const Clause kClause{
    .id = "C-ZERO-032",
    .name = "clipping effective",
    .sentence =
        "Every gradient of every group is multiplied by the same min(1, max_norm / (norm + epsilon)); "
        "below the threshold no bit of it changes, and a zero norm is harmless.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "Thresholds above, at, below and far below the norm, and gradients of zero. SGD shows what was "
        "applied, where a run has none the first moment of AdamW or Adam; when groups were scaled differently, their "
        "factors are named.",
    .bugs = {{"max(1, c) in place of min amplified gradients and never clipped.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5150"},
             {"The clip function was handed gradients instead of parameters: right norm, nothing scaled.",
              "https://github.com/huggingface/transformers/pull/46113"},
             {"The iterator over the parameters was used up before clipping.",
              "https://github.com/areal-project/AReaL/pull/335"},
             {"Clipping was switched off for bf16.", "https://github.com/deepspeedai/DeepSpeed/pull/3790"}},
    .essential = {{"clip_active"}},
    .features = {"clip_active", "clip_inactive", "multi_group"},
    .needs = {"fp16 gradients"},
    .revision = 3,
};

/// Norms far above the threshold, as an exploding gradient has: 2^40 times what was drawn, the threshold left where it
/// was.
void SometimesExplode(Case& c) {
  const bool scalable =
      c.experiment.gradients == GradientSource::kPythagorean || c.experiment.gradients == GradientSource::kIndexCoded;
  if (scalable && c.experiment.seed % 6 == 0) c.experiment.gradient_exponent += 40;
}

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kPythagorean, GradientSource::kOneHot,
                     GradientSource::kZero};
  space.plain_update = true;
  space.max_groups = 3;
  space.vary = {"clipping", "loss"};
  space.finish = SometimesExplode;
  space.keep = IsClipped;
  return space;
}

/// By what the first step multiplied the gradients of each group, read from the element that should move farthest, of
/// parameters under SGD, else of first moments; NaN where nothing moves.
std::vector<double> FirstFactors(const Case& c, const Observations& ranks, const Expected& expected) {
  const Experiment& e = c.experiment;
  const bool is_sgd = e.optimizer == OptimizerKind::kSgd;
  std::vector<double> factors(e.groups.size(), NAN), farthest(e.groups.size(), 0.0);
  const auto read = [&](const TensorRecord& record) {
    const int group = e.parameters[record.parameter].group;
    const double weight = is_sgd ? -double{e.groups[group].lr} : 1 - double{e.groups[group].beta1};
    for (size_t i = 0; i < record.values.size(); ++i) {
      const size_t element = record.interval.begin + i;
      const double full_move = weight * expected.steps[0].gradient[record.parameter][element];
      if (std::abs(full_move) <= farthest[group]) continue;
      farthest[group] = std::abs(full_move);
      const double start = is_sgd ? expected.initial_parameter[record.parameter][element] : 0.0f;
      factors[group] = (record.values[i] - start) / full_move;
    }
  };
  for (const RankObservation& rank : ranks) {
    for (const TensorRecord& record : rank.tensors) {
      if (record.what == (is_sgd ? "parameter" : "exp_avg") && record.step == 0) read(record);
    }
  }
  return factors;
}

/// "group 0 by 0.5, group 1 by 1" when two groups were scaled differently, by more than rounding can explain; else "".
std::string UnequalFactors(const std::vector<double>& factors) {
  double smallest = INFINITY, largest = -INFINITY;
  std::string text;
  for (size_t group = 0; group < factors.size(); ++group) {
    if (std::isnan(factors[group])) continue;
    smallest = std::min(smallest, factors[group]);
    largest = std::max(largest, factors[group]);
    text += fmt::format("{}group {} by {:.4g}", text.empty() ? "" : ", ", group, factors[group]);
  }
  return largest - smallest > 0.1 * std::abs(largest) ? text : "";
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  const Expected expected = ReferenceFor(c, ranks);
  auto finding = CompareWithReference(c, ranks, expected);
  if (!finding) return std::nullopt;
  const std::string unequal = UnequalFactors(FirstFactors(c, ranks, expected));
  if (!unequal.empty()) finding->sentence += "; the first step multiplied the gradients of " + unequal;
  return finding;
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::clipping
