// What lives on the host between its uses.
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool Offloads(const Case& c) { return c.offload != Offload::kNone; }

bool OffloadsFromStageOne(const RunTerms& terms) {
  const std::vector<Offload>& available = terms.can.offload;
  return (Contains(available, Offload::kParams) || Contains(available, Offload::kFull)) && HasShardedStage(terms);
}

std::string BeyondOffload(const Case& c, const Capabilities& can) {
  return Unlisted("offload", c.offload, can.offload);
}

bool DrawOffload(Drawing& drawing) {
  if (drawing.varied && !drawing.can.offload.empty() && drawing.c.stage > 0) {
    drawing.c.offload = drawing.draws.Pick(drawing.can.offload);
  }
  return true;
}

uint32_t CodeOf(Offload offload) {
  switch (offload) {
    case Offload::kNone: return ZEROCTS_OFFLOAD_NONE;
    case Offload::kParams: return ZEROCTS_OFFLOAD_PARAMS;
    case Offload::kFull: return ZEROCTS_OFFLOAD_FULL;
  }
  throw std::logic_error("Offload out of range");
}

void TellOffload(const Case& c, zerocts_open_args& args) { args.offload = CodeOf(c.offload); }

void NoOffload(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.offload = Offload::kNone; });
}

}  // namespace

Dimension OffloadDimension() {
  return {
      .name = "offload",
      .values = ChosenBy("offload", "State that is offloaded to CPU memory",
                         NamesOf<Offload>({Offload::kNone, Offload::kParams, Offload::kFull}),
                         ListedValues(&Capabilities::offload, [](const Case& c) { return c.offload; })),
      .form = {.fields = {NewerField(FieldOf("offload", &Case::offload, OffloadFromString))},
               .tell = TellOffload,
               .features = {{"offload", "parameters, states or gradients live on the host between their uses",
                             Offloads}}},
      .declared = {.requirements = {{{"offload"}, "offload from stage 1 on", OffloadsFromStageOne}},
                   .capabilities = {DeclaresEntry("offload params", &Capabilities::offload, Offload::kParams),
                                    DeclaresEntry("offload full", &Capabilities::offload, Offload::kFull)},
                   .beyond = BeyondOffload,
                   .probes = ProbeForEach<Offload>({Offload::kNone, Offload::kParams, Offload::kFull},
                                                   [](Case& c, Offload offload) { c.offload = offload; })},
      .drawn = {.on_request = true, .draw = DrawOffload, .simplifications = {{Simplicity::kArrangement, NoOffload}}}};
}

}  // namespace zerocts
