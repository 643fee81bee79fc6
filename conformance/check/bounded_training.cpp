#include "conformance/check/bounded_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace zerocts {
namespace {

/// An infinite bound would pass everything.
void ExpectFinite(const Experiment& e, int64_t step, const BoundedTensors& parameters) {
  for (size_t p = 0; p < parameters.size(); ++p) {
    if (std::ranges::all_of(parameters[p], [](const Bounded& x) { return std::isfinite(x.error); })) continue;
    throw std::runtime_error(fmt::format(
        "bounded training: expected finite bounds, got another one of {} in step {}; take smaller learning rates",
        e.parameters[p].name, step));
  }
}

}  // namespace

std::string BeyondBoundedTraining(const Experiment& e) {
  const auto expected = [](const std::string& what) { return "bounded training: expected " + what; };
  if (e.gradients != GradientSource::kModel || !std::holds_alternative<MlpSpec>(*e.model)) {
    return expected("gradients of the model mlp");
  }
  if (e.optimizer != OptimizerKind::kSgd || e.max_norm != 0.0f) return expected("sgd without clipping");
  if (NarrowestPrecision(e) != Precision::kFp32 || e.accumulation != Precision::kFp32 ||
      e.reduction != Precision::kFp32) {
    return expected("all numbers in fp32");
  }
  if (!e.changes.empty() || e.roles != ParameterRoles{} || e.loss_scaling.kind != LossScaleKind::kNone) {
    return expected("no change of hyper-parameters, no roles and no loss scaling");
  }
  return "";
}

std::vector<BoundedStep> BoundedTraining(const Experiment& experiment) {
  const std::string beyond = BeyondBoundedTraining(experiment);
  if (!beyond.empty()) throw std::invalid_argument(beyond);
  const std::shared_ptr<const TextCorpus> text = TextCorpus::SharedFor(experiment);
  TrainingWalk<Bounded> walk(experiment, *text);
  std::vector<BoundedStep> steps;
  for (int64_t step = 0; step < experiment.steps; ++step) {
    steps.push_back(walk.Step(step));
    ExpectFinite(experiment, step, steps.back().parameter);
  }
  return steps;
}

}  // namespace zerocts
