#include "conformance/check/bounded/bounded_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace zerocts {
namespace {

constexpr double kMostProducts = 0x1p28;  // some seconds

/// Each parameter with each token of a step that the loss is of.
double ProductsPerStep(const Experiment& e) {
  const double tokens = static_cast<double>(e.batch * TargetsPerSequence(*e.model)) * e.world_size * e.micro_batches;
  return static_cast<double>(TotalNumel(e)) * tokens;
}

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

std::string BeyondBounds(const Experiment& e) {
  if (e.gradients != GradientSource::kModel) return "expected gradients of a model";
  if (e.roles != ParameterRoles{} || e.loss_scaling.kind != LossScaleKind::kNone) {
    return "expected no roles and no loss scaling";
  }
  const double products = ProductsPerStep(e);
  if (std::holds_alternative<GptSpec>(*e.model) && products > kMostProducts) {
    return fmt::format("expected at most {:.1e} products with parameters of a GPT in a step, got {:.1e}", kMostProducts,
                       products);
  }
  return "";
}

std::string BeyondWalk(const Experiment& e) {
  if (!std::holds_alternative<MlpSpec>(*e.model)) return "expected the model mlp";
  return IsUpdateWalked(e.optimizer) ? "" : "expected sgd, adam or adamw, got " + ToString(e.optimizer);
}

std::string BeyondBoundedTraining(const Experiment& e) {
  std::string beyond = BeyondBounds(e);
  if (beyond.empty()) beyond = BeyondWalk(e);
  const bool is_fp32 = NarrowestPrecision(e) == Precision::kFp32 && e.accumulation == Precision::kFp32 &&
                       e.reduction == Precision::kFp32;
  if (beyond.empty() && !is_fp32) beyond = "expected all numbers in fp32";
  return beyond.empty() ? "" : "bounded training: " + beyond;
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
