// The loss that given gradients come from: linear in the parameters, or quadratic, so that gradients depend on the
// values that forward and backward computed with.
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/draws/magnitude.hpp"
#include "conformance/cases/inputs/one_rank.hpp"
#include "reference/experiment/given_loss.hpp"

namespace zerocts {
namespace {

LossShape LossOf(const Case& c) { return LossShapeOf(c.experiment); }
bool IsQuadratic(const Case& c) { return LossOf(c) == LossShape::kQuadratic; }

std::string BeyondLoss(const Case& c, const Capabilities& can) { return Unlisted("the loss", LossOf(c), can.losses); }

bool IsAvailable(const RunTerms& terms) {
  return Contains(terms.can.losses, LossShape::kQuadratic) && (HasOrder(terms) || HasPowerOfTwoRanks(terms));
}

/// Not only with random gradients.
bool IsDrawnOften(const RunTerms& terms) { return HasNamedOrder(terms) || HasPowerOfTwoRanks(terms); }

/// Are gradients given that a curvature leaves what the clause wants of them?
bool TakesCurvature(const Drawing& drawing) {
  using enum GradientSource;
  const Experiment& e = drawing.e;
  const bool clips_by_inexact_norm = e.max_norm > 0 && drawing.can.inexact_norm;
  return Contains({kIndexCoded, kOneHot, kUniform}, e.gradients) && IsPlain(e) && !clips_by_inexact_norm;
}

/// Has every correct subject the same bits, whatever the order of its sums, or does the case say which?
bool HasDefinedBits(const CaseSpace& space, const Case& c) {
  if (!Problem(c).empty()) return false;
  if (IsExact(c.experiment)) return true;
  if (space.parity()) return AddsAsOnOneRank(c);
  return c.reduction_order != "any";
}

/// Where the order is not known, each element's gradient comes from one micro-batch alone. Such cases are rarely
/// possible, so none of them is left linear.
bool DrawLoss(Drawing& drawing) {
  if (!drawing.varied || !Contains(drawing.can.losses, LossShape::kQuadratic)) return true;
  Draws& draws = drawing.draws;
  const bool stays_linear = draws.Percent(40) && drawing.c.reduction_order != "any";
  const float curvature = draws.Pick<float>({1.0f, 0.5f, 0.25f});
  if (stays_linear || !TakesCurvature(drawing)) return true;
  Case curved = drawing.c;
  curved.experiment.curvature = curvature;
  if (!HasDefinedBits(drawing.space, curved)) curved.experiment.gradients = GradientSource::kOneHot;
  if (!HasDefinedBits(drawing.space, curved)) return true;
  curved.fidelity = FidelityOf(drawing.space, curved.experiment);
  drawing.c = curved;
  return true;
}

void Linear(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.curvature = 0; });
}

}  // namespace

Dimension LossDimension() {
  return {
      .name = "loss",
      .values = ValuesIf(IsAvailable, {"linear", "quadratic"}, [](const Case& c) { return ToString(LossOf(c)); }),
      .form = {.features = {{"quadratic_loss",
                             "gradients depend on the values of the parameters that forward and backward compute with",
                             IsQuadratic}}},
      .declared = {.requirements = {NeedsEntry({"quadratic_loss"}, "losses quadratic", &Capabilities::losses,
                                               LossShape::kQuadratic),
                                    {{"quadratic_loss"},
                                     "a reduction order that has a name, or 1, 2, 4, .. ranks",
                                     IsDrawnOften}},
                   .capabilities = {DeclaresEntry("losses quadratic", &Capabilities::losses, LossShape::kQuadratic)},
                   .beyond = BeyondLoss,
                   .probes = {ProbeFor([](Case& c) {
                     if (c.experiment.gradients != GradientSource::kModel) c.experiment.curvature = 1;
                   })}},
      .drawn = {.on_request = true, .draw = DrawLoss, .simplifications = {{Simplicity::kLoss, Linear}}}};
}

}  // namespace zerocts
