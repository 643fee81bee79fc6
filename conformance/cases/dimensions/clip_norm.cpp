// The norm by which gradients are clipped.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/clip_choices.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

Feature ByNorm(const std::string& name, const std::string& meaning, NormKind norm) {
  return {name, meaning, [norm](const Case& c) { return IsClipped(c) && c.experiment.clip_norm == norm; }};
}

std::string BeyondClipNorm(const Case& c, const Capabilities& can) {
  return UnlistedUnlessUsual("the clip norm", c, c.experiment.clip_norm, NormKind::kTwo, can.clip_norms);
}

uint32_t CodeOf(NormKind norm) {
  switch (norm) {
    case NormKind::kTwo: return ZEROCTS_NORM_TWO;
    case NormKind::kOne: return ZEROCTS_NORM_ONE;
    case NormKind::kInfinity: return ZEROCTS_NORM_INFINITY;
  }
  throw std::logic_error("NormKind out of range");
}

void TellClipNorm(const Case& c, zerocts_open_args& args) { args.clip_norm = CodeOf(c.experiment.clip_norm); }

void UsualClipNorm(Simplifying& simpler) {
  simpler.Try([](Case&, Experiment& e) { e.clip_norm = NormKind::kTwo; });
}

}  // namespace

void DrawClipNorm(Drawing& drawing) {
  DrawClipChoice(drawing, "clip norm", drawing.can.clip_norms, drawing.e.clip_norm);
}

Dimension ClipNormDimension() {
  using C = Capabilities;
  return {
      .name = "clip norm",
      .values = ChoicesWhereClipped(&C::clip_norms, [](const Case& c) { return c.experiment.clip_norm; }),
      .form = {.tell = TellClipNorm,
               .features = {ByNorm("clip_norm_one", "clipping is by the 1-norm", NormKind::kOne),
                            ByNorm("clip_norm_infinity", "clipping is by the largest magnitude", NormKind::kInfinity)}},
      .declared = {.requirements = {NeedsFlag({"clip_norm_one", "clip_norm_infinity"}, "clip", &C::clip),
                                    NeedsEntry({"clip_norm_one"}, "clip_norms 1", &C::clip_norms, NormKind::kOne),
                                    NeedsEntry({"clip_norm_infinity"}, "clip_norms inf", &C::clip_norms,
                                               NormKind::kInfinity)},
                   .capabilities = {DeclaresEntry("clip_norms 1", &C::clip_norms, NormKind::kOne),
                                    DeclaresEntry("clip_norms inf", &C::clip_norms, NormKind::kInfinity)},
                   .beyond = BeyondClipNorm,
                   .probes = ProbeForEach<NormKind>({NormKind::kTwo, NormKind::kOne, NormKind::kInfinity},
                                                    [](Case& c, NormKind norm, const Capabilities& can) {
                                                      Clip(c, can);
                                                      c.experiment.clip_norm = norm;
                                                    })},
      .drawn = {.on_request = true, .simplifications = {{Simplicity::kClipping, UsualClipNorm}}}};
}

}  // namespace zerocts
