// Loss scales, and gradients that overflow.
#include <cmath>

#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

constexpr int64_t kLargestScaleExponent = 16;

bool ScalesLosses(const Case& c) { return c.experiment.loss_scaling.kind != LossScaleKind::kNone; }
bool ScalesDynamically(const Case& c) { return c.experiment.loss_scaling.kind == LossScaleKind::kDynamic; }

bool Overflows(const Case& c) {
  const Experiment& e = c.experiment;
  return ScalesLosses(c) && std::ranges::any_of(e.planted, [&](const PlantedValue& planted) {
           return GivesGradient(e, planted.parameter, planted.step, planted.g);
         });
}

bool HasAnyScaling(const RunTerms& terms) { return !terms.can.loss_scaling.empty(); }

std::string BeyondLossScaling(const Case& c, const Capabilities& can) {
  const Experiment& e = c.experiment;
  if (!ScalesLosses(c)) return "";
  if (std::string beyond = Unlisted("loss scaling", e.loss_scaling.kind, can.loss_scaling); !beyond.empty()) {
    return beyond;
  }
  const bool host_computes = e.gradients == GradientSource::kModel && !Contains(can.models, KindOf(*e.model));
  if (!host_computes) return "";
  // Its backward pass would begin with a scale that only the subject knows.
  return Beyond("loss scaling of a model that it does not compute itself, " + KindOf(*e.model), can.models);
}

void PlantOverflow(Drawing& drawing) {
  Experiment& e = drawing.e;
  Draws& draws = drawing.draws;
  std::vector<int> with_elements;
  for (int p = 0; p < drawing.parameters(); ++p) {
    if (!e.roles.IsBuffer(p) && e.parameters[static_cast<size_t>(p)].numel() > 0) with_elements.push_back(p);
  }
  if (with_elements.empty()) return;
  for (int64_t values = draws.Between(1, std::max<int64_t>(2, e.steps / 3)); values > 0; --values) {
    const int p = draws.Pick(with_elements);
    const int64_t step = draws.Between(0, e.steps - 1),
                  g = MicroBatchWith(e, p, draws.Between(0, MicroBatchesWith(e, p) - 1)),
                  element = draws.Between(0, e.parameters[static_cast<size_t>(p)].numel() - 1);
    using enum NonFinite;
    e.planted.push_back({step, g, p, element, draws.Pick<NonFinite>({kInfinity, kMinusInfinity, kNan})});
  }
}

/// A model's backward pass begins with the scale, so only who computes it can scale its loss.
bool CanScale(const Drawing& drawing) {
  return !drawing.can.loss_scaling.empty() &&
         (drawing.given() || Contains(drawing.can.models, KindOf(*drawing.e.model)));
}

bool DrawLossScaling(Drawing& drawing) {
  Draws& draws = drawing.draws;
  if (!drawing.varied || !CanScale(drawing) || !draws.Percent(85)) return true;
  LossScaling& s = drawing.e.loss_scaling;
  s.kind = draws.Pick(drawing.can.loss_scaling);
  s.scale = std::ldexp(1.0f, static_cast<int>(draws.Between(1, kLargestScaleExponent)));
  if (s.kind == LossScaleKind::kDynamic) {
    s.growth_factor = draws.Pick<float>({2.0f, 4.0f});
    s.backoff_factor = draws.Pick<float>({0.5f, 0.25f});
    s.growth_interval = draws.Between(1, 3);
    s.hysteresis = draws.Between(1, 2);
    s.renew_hysteresis = draws.Percent(50);
    s.minimum = draws.Pick<float>({1.0f, 2.0f});
  }
  if (drawing.given() && draws.Percent(70)) PlantOverflow(drawing);
  return true;
}

void PlainScaling(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) {
    e.loss_scaling = {};
    e.planted.clear();
  });
  simpler.TryFewer([](auto& e) -> auto& { return e.planted; });
  simpler.Try([](Case&, Experiment& e) {
    if (e.loss_scaling.kind != LossScaleKind::kNone) e.loss_scaling.kind = LossScaleKind::kStatic;
  });
}

}  // namespace

Dimension LossScalingDimension() {
  using C = Capabilities;
  return {
      .name = "loss scaling",
      .values =
          WithAlways(ToString(LossScaleKind::kNone),
                     ListedValues(&C::loss_scaling, [](const Case& c) { return c.experiment.loss_scaling.kind; })),
      .form = {.features = {{"loss_scaling", "gradients are multiplied by a loss scale", ScalesLosses},
                            {"dynamic_scale", "the loss scale follows overflows", ScalesDynamically},
                            {"overflow", "a gradient is not finite under loss scaling, so that a step is skipped",
                             Overflows}}},
      .declared = {.requirements = {{{"loss_scaling", "overflow"}, "loss_scaling", HasAnyScaling},
                                    NeedsEntry({"dynamic_scale"}, "loss_scaling dynamic", &C::loss_scaling,
                                               LossScaleKind::kDynamic)},
                   .capabilities = {DeclaresEntry("loss_scaling static", &C::loss_scaling, LossScaleKind::kStatic),
                                    DeclaresEntry("loss_scaling dynamic", &C::loss_scaling, LossScaleKind::kDynamic)},
                   .beyond = BeyondLossScaling,
                   .probes = ProbeForEach<LossScaleKind>(
                       {LossScaleKind::kStatic, LossScaleKind::kDynamic},
                       [](Case& c, LossScaleKind kind) { c.experiment.loss_scaling.kind = kind; })},
      .drawn = {
          .on_request = true, .draw = DrawLossScaling, .simplifications = {{Simplicity::kScaling, PlainScaling}}}};
}

}  // namespace zerocts
