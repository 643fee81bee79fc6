#include <fmt/format.h>

#include <cmath>

#include "conformance/cases/draws/magnitude.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts::step_count {

const Clause kClause{
    .id = "C-ZERO-051",
    .name = "step count and bias correction",
    .sentence =
        "The step count of every group starts at zero, grows by one per applied step and belongs to no "
        "other group.",
    .fidelity = Fidelity::kExactInputs,
    .how =
        "AdamW with eps near zero, so that the first update is lr times the sign of the gradient, and the "
        "following ones by the reference; several groups, an empty one among them. A wrong count is named.",
    .bugs = {{"An optimizer step over dummy gradients at construction advanced the counter.",
              "https://github.com/deepspeedai/DeepSpeed/pull/5104"},
             {"Sub-groups shared one Adam step counter, advanced once for each.",
              "https://github.com/deepspeedai/DeepSpeed/pull/1823"},
             {"The counter was kept on the last active parameter and used for its whole dtype.",
              "https://github.com/deepspeedai/DeepSpeed/pull/8471"},
             {"Initialising state left the counter at one.", "https://github.com/pytorch/torchtitan/pull/4382"},
             {"Groups without parameters never got a step count.",
              "https://github.com/NVIDIA/TransformerEngine/pull/3318"}},
    .essential = {{"adamw"}},
    .features = {"adamw", "multi_group", "empty_group", "multi_step"},
    .needs = {"missing gradients: a parameter that joins late", "overflow skip: a skipped step is not counted"},
};

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot};
  space.optimizers = {OptimizerKind::kAdamW};
  space.min_steps = 2;
  space.max_steps = 4;
  space.max_groups = 3;
  space.finish = [](Case& c) { ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.eps = 1e-30f; }); };
  return space;
}

/// |first update| / lr when the bias correction is that of step t: 1 for t = 1.
double FirstUpdateAt(const HyperParameters& h, int t) {
  const double beta1 = h.beta1, beta2 = h.beta2;
  return (1 - beta1) / (1 - std::pow(beta1, t)) / std::sqrt((1 - beta2) / (1 - std::pow(beta2, t)));
}

/// "as if it were step 2" when one of the next steps' bias correction explains the size of a first update.
std::string AsIfLater(const HyperParameters& h, double size, double tolerance) {
  for (int t = 2; t <= 16; ++t) {
    if (std::abs(FirstUpdateAt(h, t) - size) <= tolerance) return fmt::format(", as if it were step {}", t);
  }
  return "";
}

/// The first update of every element of one piece, of a case whose numbers are plain. `tolerance` of an element: two
/// roundings of the parameter over lr, and those of the moments, corrections, root and quotient.
std::optional<Finding> CheckPiece(const Case& c, int rank, const TensorRecord& record,
                                  const std::vector<float>& initial) {
  const ParameterSpec& parameter = c.experiment.parameters[record.parameter];
  const HyperParameters& h = c.experiment.groups[parameter.group];
  for (size_t i = 0; i < record.values.size(); ++i) {
    const int64_t element = record.interval.begin + static_cast<int64_t>(i);
    const double before = initial[element], after = record.values[i];
    const double size = std::abs((before - after) / h.lr - h.weight_decay * before);
    const double magnitude = std::max({std::abs(before), std::abs(after), 1.0});
    const double tolerance = 0x1p-20 + 0x1p-23 * magnitude / h.lr;
    if (std::abs(size - 1) <= tolerance) continue;
    return Finding{
        fmt::format("the first update of element {} of {} (group {}) on rank {} is {:.6g} x lr, expected 1 x lr within "
                    "{:.1e}{}",
                    element, parameter.name, parameter.group, rank, size, tolerance, AsIfLater(h, size, tolerance)),
        std::nullopt};
  }
  return std::nullopt;
}

std::optional<Finding> CheckFirstUpdate(const Case& c, const Observations& ranks) {
  const bool parameters_are_exact = c.experiment.precision == Precision::kFp32;
  for (const RankObservation& rank : ranks) {
    for (const TensorRecord& record : rank.tensors) {
      const bool shows_update = record.what == "master" || (parameters_are_exact && record.what == "parameter");
      const int owner = c.experiment.roles.OwnerOf(record.parameter);
      if (record.step != 0 || !shows_update || c.experiment.roles.IsFrozen(owner, 0)) continue;
      if (auto finding = CheckPiece(c, rank.rank, record, InitialValuesOf(c.experiment, owner))) return finding;
    }
  }
  return std::nullopt;
}

std::optional<Finding> Judge(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  if (auto finding = IsPlain(c.experiment) ? CheckFirstUpdate(c, ranks) : std::nullopt) return finding;
  return AgainstReference(trial, c, ranks);
}

const RegisteredClause registered(kClause, Space, Judge);

}  // namespace zerocts::step_count
