// Clipping by the global gradient norm: the largest norm, which norm, and by which formula.
#include <cmath>

#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/gradient_norm.hpp"
#include "conformance/cases/shapes.hpp"
#include "reference/optim/step.hpp"

namespace zerocts {
namespace {

const std::vector<std::string> kAll = {"clip_active",        "clip_inactive",          "clip_random",
                                       "clip_norm_one",      "clip_norm_infinity",     "clip_formula_torch",
                                       "clip_formula_above", "clip_formula_deepspeed", "clip_formula_deepspeed_fp64"};

bool HasMaxNorm(const Case& c) { return c.experiment.max_norm != 0; }

/// Does some step of the reference clip?
bool Clips(const Experiment& e) {
  return std::ranges::any_of(KnownGradientNorms(e), [&](float norm) {
    const bool overflows = SkipsOverflow(e.loss_scaling) && std::isnan(norm);
    return !overflows && ClipCoefficient(e.clip_formula, norm, e.max_norm, e.clip_epsilon) != 1.0f;
  });
}

void FindWhetherItClips(const Case& c, const std::function<void(const std::string&)>& add) {
  if (HasMaxNorm(c)) add(Clips(c.experiment) ? "clip_active" : "clip_inactive");
}

bool ClipsRandomGradients(const Case& c) { return HasMaxNorm(c) && c.experiment.gradients == GradientSource::kUniform; }

Feature By(const std::string& name, const std::string& meaning, NormKind norm) {
  return {name, meaning, [norm](const Case& c) { return HasMaxNorm(c) && c.experiment.clip_norm == norm; }};
}

Feature By(const std::string& name, const std::string& meaning, ClipFormula formula) {
  return {name, meaning, [formula](const Case& c) { return HasMaxNorm(c) && c.experiment.clip_formula == formula; }};
}

/// Who only says "2" and "min" need not clip: what is not used may be at its default.
template <typename Enum>
std::string UnlistedUnlessUsual(const std::string& what, const Case& c, Enum asked, Enum usual,
                                const std::vector<Enum>& declared) {
  return !HasMaxNorm(c) && asked == usual ? "" : Unlisted(what, asked, declared);
}

std::string BeyondClipping(const Case& c, const Capabilities& can) {
  const Experiment& e = c.experiment;
  return FirstOf({Undeclared("clip", HasMaxNorm(c), can.clip),
                  UnlistedUnlessUsual("the clip norm", c, e.clip_norm, NormKind::kTwo, can.clip_norms),
                  UnlistedUnlessUsual("the clip formula", c, e.clip_formula, ClipFormula::kMin, can.clip_formulas)});
}

/// Two squares, whose sum is exact in fp32 by any way of adding.
bool HasExactSquares(const Experiment& e) {
  constexpr int kLargestExponent = 24;  // leaves some for clauses that scale what was drawn
  return e.gradients == GradientSource::kPythagorean && std::abs(e.gradient_exponent) <= kLargestExponent;
}

/// Needs the norm, so all that gradients depend on, in a case that makes sense.
bool DrawMaxNorm(Drawing& drawing) {
  Draws& draws = drawing.draws;
  const Capabilities& can = drawing.can;
  Experiment& e = drawing.e;
  if (!Problem(drawing.c).empty() || !TakesShapes(e, can)) return false;
  if (!drawing.space.clip || !can.clip || !draws.Percent(85)) return true;
  if (can.inexact_norm && !HasExactSquares(e)) return true;  // the norm's bits are not defined
  if (!Contains(can.clip_norms, e.clip_norm)) e.clip_norm = can.clip_norms.front();
  if (!Contains(can.clip_formulas, e.clip_formula)) e.clip_formula = can.clip_formulas.front();
  if (drawing.space.clip_variants) {
    e.clip_norm = draws.Pick(can.clip_norms);
    e.clip_formula = draws.Pick(can.clip_formulas);
  }
  const float norm = KnownGradientNorms(e).front();
  const float length = norm > e.clip_epsilon ? norm : norm + e.clip_epsilon;  // what a tiny norm counts for
  const float ratio = draws.Pick<float>({2.0f, 1.0f, 0.5f, 0x1p-10f});        // of max_norm to it
  e.max_norm = norm > 0 && std::isfinite(norm) ? length * ratio : 1.0f;
  return true;
}

void NoClipping(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.max_norm = 0; });
  simpler.Try([](Case&, Experiment& e) { e.clip_norm = NormKind::kTwo; });
  simpler.Try([](Case&, Experiment& e) { e.clip_formula = ClipFormula::kMin; });
}

}  // namespace

Dimension ClippingDimension() {
  using C = Capabilities;
  using enum ClipFormula;
  return {
      .name = "clipping",
      .features =
          {{"clip_active", "clipping is on and some step of the reference clips (a model on text: the first step)"},
           {"clip_inactive", "clipping is on and no step of the reference clips (a model on text: not the first step)"},
           {"clip_random", "clipping is on and gradients are random", ClipsRandomGradients},
           By("clip_norm_one", "clipping is by the 1-norm", NormKind::kOne),
           By("clip_norm_infinity", "clipping is by the largest magnitude", NormKind::kInfinity),
           By("clip_formula_torch", "the coefficient is min(1, (1 / (norm + epsilon)) * max_norm)", kTorch),
           By("clip_formula_above", "the coefficient is 1 up to max_norm, whatever epsilon", kAbove),
           By("clip_formula_deepspeed", "the coefficient is 1 / max(1, (norm + epsilon) / max_norm)", kDeepSpeed),
           By("clip_formula_deepspeed_fp64",
              "the coefficient is 1 / max(1, (norm + epsilon) / max_norm) in fp64, rounded once", kDeepSpeedFp64)},
      .find_together = FindWhetherItClips,
      .demands = {NeedsFlag(kAll, "clip", &C::clip),
                  {{"clip_random"}, "a declared reduction order", HasOrder},
                  {{"clip_random"},
                   "a norm whose bits are defined (not inexact_norm)",
                   [](const RunTerms& terms) { return !terms.can.inexact_norm; }},
                  NeedsEntry({"clip_norm_one"}, "clip_norms 1", &C::clip_norms, NormKind::kOne),
                  NeedsEntry({"clip_norm_infinity"}, "clip_norms inf", &C::clip_norms, NormKind::kInfinity),
                  NeedsEntry({"clip_formula_torch"}, "clip_formulas torch", &C::clip_formulas, kTorch),
                  NeedsEntry({"clip_formula_above"}, "clip_formulas above", &C::clip_formulas, kAbove),
                  NeedsEntry({"clip_formula_deepspeed"}, "clip_formulas deepspeed", &C::clip_formulas, kDeepSpeed),
                  NeedsEntry({"clip_formula_deepspeed_fp64"}, "clip_formulas deepspeed_fp64", &C::clip_formulas,
                             kDeepSpeedFp64)},
      .offers = {OffersFlag("clip", &C::clip), OffersEntry("clip_norms 1", &C::clip_norms, NormKind::kOne),
                 OffersEntry("clip_norms inf", &C::clip_norms, NormKind::kInfinity),
                 OffersEntry("clip_formulas torch", &C::clip_formulas, kTorch),
                 OffersEntry("clip_formulas above", &C::clip_formulas, kAbove),
                 OffersEntry("clip_formulas deepspeed", &C::clip_formulas, kDeepSpeed),
                 OffersEntry("clip_formulas deepspeed_fp64", &C::clip_formulas, kDeepSpeedFp64)},
      .beyond = BeyondClipping,
      .draw = DrawMaxNorm,
      .simplifications = {{Simplicity::kClipping, NoClipping}}};
}

}  // namespace zerocts
