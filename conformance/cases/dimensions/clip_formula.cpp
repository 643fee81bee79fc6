// The formula of the coefficient by which gradients are clipped.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

Feature ByFormula(const std::string& name, const std::string& meaning, ClipFormula formula) {
  return {name, meaning, [formula](const Case& c) { return IsClipped(c) && c.experiment.clip_formula == formula; }};
}

std::string BeyondClipFormula(const Case& c, const Capabilities& can) {
  return UnlistedUnlessUsual("the clip formula", c, c.experiment.clip_formula, ClipFormula::kMin, can.clip_formulas);
}

uint32_t CodeOf(ClipFormula formula) {
  switch (formula) {
    case ClipFormula::kMin: return ZEROCTS_CLIP_MIN;
    case ClipFormula::kTorch: return ZEROCTS_CLIP_TORCH;
    case ClipFormula::kAbove: return ZEROCTS_CLIP_ABOVE;
    case ClipFormula::kDeepSpeed: return ZEROCTS_CLIP_DEEPSPEED;
    case ClipFormula::kDeepSpeedFp64: return ZEROCTS_CLIP_DEEPSPEED_FP64;
    case ClipFormula::kDeepSpeedReciprocal: return ZEROCTS_CLIP_DEEPSPEED_RECIPROCAL;
  }
  throw std::logic_error("ClipFormula out of range");
}

void TellClipFormula(const Case& c, zerocts_open_args& args) { args.clip_formula = CodeOf(c.experiment.clip_formula); }

void UsualClipFormula(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.clip_formula = ClipFormula::kMin; });
}

}  // namespace

void DrawClipFormula(Drawing& drawing) {
  DrawClipChoice(drawing, "clip formula", drawing.can.clip_formulas, drawing.e.clip_formula);
}

Dimension ClipFormulaDimension() {
  using C = Capabilities;
  using enum ClipFormula;
  const std::vector<std::string> all = {"clip_formula_torch", "clip_formula_above", "clip_formula_deepspeed",
                                        "clip_formula_deepspeed_fp64", "clip_formula_deepspeed_reciprocal"};
  return {
      .name = "clip formula",
      .values = ChoicesWhereClipped(&C::clip_formulas, [](const Case& c) { return c.experiment.clip_formula; }),
      .form = {.tell = TellClipFormula,
               .features = {ByFormula("clip_formula_torch",
                                      "the coefficient is min(1, (1 / (norm + epsilon)) * max_norm)", kTorch),
                            ByFormula("clip_formula_above", "the coefficient is 1 up to max_norm, whatever epsilon",
                                      kAbove),
                            ByFormula("clip_formula_deepspeed",
                                      "the coefficient is 1 / max(1, (norm + epsilon) / max_norm)", kDeepSpeed),
                            ByFormula(
                                "clip_formula_deepspeed_fp64",
                                "the coefficient is 1 / max(1, (norm + epsilon) / max_norm) in fp64, rounded once",
                                kDeepSpeedFp64),
                            ByFormula("clip_formula_deepspeed_reciprocal",
                                      "the coefficient is 1 / max(1, (norm + epsilon) * (1 / max_norm))",
                                      kDeepSpeedReciprocal)}},
      .declared =
          {.requirements = {NeedsFlag(all, "clip", &C::clip),
                            NeedsEntry({"clip_formula_torch"}, "clip_formulas torch", &C::clip_formulas, kTorch),
                            NeedsEntry({"clip_formula_above"}, "clip_formulas above", &C::clip_formulas, kAbove),
                            NeedsEntry({"clip_formula_deepspeed"}, "clip_formulas deepspeed", &C::clip_formulas,
                                       kDeepSpeed),
                            NeedsEntry({"clip_formula_deepspeed_fp64"}, "clip_formulas deepspeed_fp64",
                                       &C::clip_formulas, kDeepSpeedFp64),
                            NeedsEntry({"clip_formula_deepspeed_reciprocal"}, "clip_formulas deepspeed_reciprocal",
                                       &C::clip_formulas, kDeepSpeedReciprocal)},
           .capabilities = {DeclaresEntry("clip_formulas torch", &C::clip_formulas, kTorch),
                            DeclaresEntry("clip_formulas above", &C::clip_formulas, kAbove),
                            DeclaresEntry("clip_formulas deepspeed", &C::clip_formulas, kDeepSpeed),
                            DeclaresEntry("clip_formulas deepspeed_fp64", &C::clip_formulas, kDeepSpeedFp64),
                            DeclaresEntry("clip_formulas deepspeed_reciprocal", &C::clip_formulas,
                                          kDeepSpeedReciprocal)},
           .beyond = BeyondClipFormula,
           .probes = ProbeForEach<ClipFormula>({kMin, kTorch, kAbove, kDeepSpeed, kDeepSpeedFp64, kDeepSpeedReciprocal},
                                               [](Case& c, ClipFormula formula, const Capabilities& can) {
                                                 Clip(c, can);
                                                 c.experiment.clip_formula = formula;
                                               })},
      .drawn = {.on_request = true, .simplifications = {{Simplicity::kClipping, UsualClipFormula}}}};
}

}  // namespace zerocts
