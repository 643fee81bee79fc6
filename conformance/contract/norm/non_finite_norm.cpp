// C-ZERO-035: a norm that is not finite skips the step on every rank and never reaches a parameter.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.loss_scaling = true;
  space.min_steps = 2;
  space.max_steps = 4;
  space.clip = true;
  space.clip_variants = true;
  space.keep = [](const Case& c) {
    return c.experiment.max_norm > 0 && c.experiment.loss_scaling.kind != LossScaleKind::kNone;
  };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  for (const RankObservation& rank : ranks) {
    for (const TensorRecord& record : rank.tensors) {
      if (record.what == "gradient") continue;
      if (std::ranges::all_of(record.values, [](float value) { return std::isfinite(value); })) continue;
      return Finding{
          fmt::format("rank {} holds a {} of parameter {} that is not finite after step {}: a step whose norm is "
                      "not finite has to be skipped",
                      rank.rank, record.what, record.parameter, record.step),
          std::nullopt};
    }
  }
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-035", "ANormThatIsNotFiniteReachesNoParameter", Space, Judge);

}  // namespace
}  // namespace zerocts
