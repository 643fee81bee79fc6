#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::non_finite_norm {

const Clause kClause{
    .id = "C-ZERO-035",
    .name = "non-finite norm policy",
    .sentence =
        "A norm that is not finite skips the step under loss scaling, on all ranks, and turns no "
        "parameter into NaN.",
    .fidelity = Fidelity::kDeclaredOrder,
    .how =
        "Infinities and NaN in gradients under clipping by every norm; all parameters and states must stay "
        "finite and those of the reference.",
    .bugs = {{"An infinite norm became NaN through a mask times infinity.",
              "https://github.com/deepspeedai/DeepSpeed/pull/7171"},
             {"The check for infinities came after the optimizer step.",
              "https://github.com/pytorch/torchtitan/pull/4226"}},
    .essential = {{"overflow"}},
    .features = {"overflow", "clip_active"},
    .needs = {"the policy of an error instead of a skip"},
    .revision = 2,
};

CaseSpace Space() {
  CaseSpace space = TrainingSpace();
  space.vary = {"loss scaling", "clipping", "clip norm", "clip formula", "loss"};
  space.min_steps = 2;
  space.max_steps = 4;
  space.keep = [](const Case& c) { return IsClipped(c) && ScalesLoss(c); };
  return space;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  for (const RankObservation& rank : ranks) {
    for (const TensorRecord& record : rank.tensors) {
      if (record.what == "gradient" || record.step < 0) continue;  // what was loaded has seen no norm
      if (std::ranges::all_of(record.values, [](float value) { return std::isfinite(value); })) continue;
      return Finding{
          fmt::format("rank {} holds a {} of parameter {} that is not finite after step {}: a step whose norm is "
                      "not finite has to be skipped",
                      rank.rank, record.what, record.parameter, record.step),
          std::nullopt};
    }
  }
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::non_finite_norm
