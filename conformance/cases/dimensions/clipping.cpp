// Clipping by the global gradient norm: the largest norm. Which norm and formula are choices of their own.
#include <cmath>
#include <ranges>

#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/draws/shapes.hpp"
#include "conformance/cases/inputs/gradient_norm.hpp"
#include "reference/optim/step.hpp"

namespace zerocts {
namespace {

/// Does some step of the reference clip?
bool Clips(const Experiment& e) {
  return std::ranges::any_of(std::views::iota(int64_t{0}, StepsOfKnownNorm(e)), [&](int64_t step) {
    const float norm = KnownGradientNorm(e, step);
    const bool overflows = SkipsOverflow(e.loss_scaling) && std::isnan(norm);
    return !overflows && ClipCoefficient(e.clip_formula, norm, e.max_norm, e.clip_epsilon) != 1.0f;
  });
}

void FindWhetherItClips(const Case& c, const std::function<void(const std::string&)>& add) {
  if (IsClipped(c)) add(Clips(c.experiment) ? "clip_active" : "clip_inactive");
}

bool ClipsRandomGradients(const Case& c) { return IsClipped(c) && c.experiment.gradients == GradientSource::kUniform; }

std::string BeyondClipping(const Case& c, const Capabilities& can) {
  return Undeclared("clip", IsClipped(c), can.clip);
}

std::string EffectOfClipping(const Case& c) {
  return !IsClipped(c) ? "none" : Clips(c.experiment) ? "active" : "inactive";
}

/// Two squares, whose sum is exact in fp32 by any way of adding.
bool HasExactSquares(const Experiment& e) {
  constexpr int kLargestExponent = 24;  // leaves some for clauses that scale what was drawn
  return e.gradients == GradientSource::kPythagorean && std::abs(e.gradient_exponent) <= kLargestExponent;
}

/// Above, equal to, below and far below the first step's norm.
bool DrawMaxNorm(Drawing& drawing) {
  Draws& draws = drawing.draws;
  const Capabilities& can = drawing.can;
  Experiment& e = drawing.e;
  if (!Problem(drawing.c).empty() || !TakesShapes(e, can)) return false;
  if (!drawing.varied || !can.clip || !draws.Percent(85)) return true;
  if (can.inexact_norm && !HasExactSquares(e) && !drawing.space.bounded()) {
    return true;  // the norm's bits are not defined
  }
  DrawClipNorm(drawing);
  DrawClipFormula(drawing);
  drawing.norm_ratio = draws.Pick<float>({2.0f, 1.0f, 0.5f, 0x1p-10f});
  e.max_norm = 1;
  return true;
}

/// Computing the norm is expensive: do it last.
void FinalizeMaxNorm(Drawing& drawing) {
  Experiment& e = drawing.e;
  if (drawing.norm_ratio == 0) return;
  const float norm = KnownGradientNorm(e);
  const float length = norm > e.clip_epsilon ? norm : norm + e.clip_epsilon;  // what a tiny norm counts for
  if (norm > 0 && std::isfinite(norm)) e.max_norm = length * drawing.norm_ratio;
}

void TellMaxNorm(const Case& c, zerocts_open_args& args) {
  args.max_norm = c.experiment.max_norm;
  args.clip_epsilon = c.experiment.clip_epsilon;
}

void NoClipping(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.max_norm = 0; });
}

}  // namespace

Dimension ClippingDimension() {
  using C = Capabilities;
  return {
      .name = "clipping",
      .values = ValuesIf(&C::clip, {"none", "inactive", "active"}, EffectOfClipping),
      .form =
          {.tell = TellMaxNorm,
           .features =
               {{"clip_active",
                 "clipping is on and some step of the reference clips (a model or a quadratic loss: the first step)"},
                {"clip_inactive",
                 "clipping is on and no step of the reference clips (a model or a quadratic loss: not the first step)"},
                {"clip_random", "clipping is on and gradients are random", ClipsRandomGradients}},
           .find_together = FindWhetherItClips},
      .declared = {.requirements = {NeedsFlag({"clip_active", "clip_inactive", "clip_random"}, "clip", &C::clip),
                                    {{"clip_random"}, "a declared reduction order", HasOrder},
                                    {{"clip_random"},
                                     "a norm whose bits are defined (not inexact_norm)",
                                     [](const RunTerms& terms) { return !terms.can.inexact_norm; }}},
                   .capabilities = {DeclaresFlag("clip", &C::clip)},
                   .beyond = BeyondClipping,
                   .probes = {Clip}},
      .drawn = {.on_request = true,
                .draw = DrawMaxNorm,
                .finalize = FinalizeMaxNorm,
                .simplifications = {{Simplicity::kClipping, NoClipping}}}};
}

}  // namespace zerocts
