#include "conformance/check/bounded/bounded_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace zerocts {
namespace {

/// An infinite bound would pass everything.
void ExpectFinite(const Experiment& e, int64_t step, const BoundedStep& made) {
  const auto expect = [&](bool is_finite, const std::string& name) {
    if (is_finite) return;
    throw std::runtime_error(fmt::format(
        "bounded training: expected finite bounds, got another one of {} in step {}; take smaller learning rates", name,
        step));
  };
  const auto is_finite = [](const Bounded& x) { return std::isfinite(x.error); };
  expect(is_finite(made.clipping.norm) && is_finite(made.clipping.coefficient), "the gradient norm");
  for (size_t p = 0; p < made.parameter.size(); ++p) {
    expect(std::ranges::all_of(made.parameter[p], is_finite), e.parameters[p].name);
  }
}

}  // namespace

std::string BeyondBoundedTraining(const Experiment& e) {
  const auto expected = [](const std::string& what) { return "bounded training: expected " + what; };
  if (e.gradients != GradientSource::kModel || !std::holds_alternative<MlpSpec>(*e.model)) {
    return expected("gradients of the model mlp");
  }
  if (e.optimizer != OptimizerKind::kSgd) return expected("sgd");
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
    ExpectFinite(experiment, step, steps.back());
  }
  return steps;
}

}  // namespace zerocts
