// Do collectives run beside forward and backward?
#include "conformance/abi/zerocts_subject.h"
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

const std::vector<Overlap> kOverlaps = {Overlap::kAny, Overlap::kOff, Overlap::kOn};

bool Overlaps(const Case& c) { return c.overlap == Overlap::kOn; }

std::string BeyondOverlap(const Case& c, const Capabilities& can) {
  return Undeclared("overlap", c.overlap != Overlap::kAny, can.overlap);
}

bool DrawOverlap(Drawing& drawing) {
  if (drawing.varied && drawing.can.overlap) {
    drawing.c.overlap = drawing.draws.Pick(kOverlaps);
  }
  return true;
}

/// Who does not declare it has no say in it.
NamedValues Choices() {
  return {.of = [](const Case& c) { return ToString(c.overlap); },
          .available =
              [](const RunTerms& terms) { return NamesOf(terms.can.overlap ? kOverlaps : std::vector{Overlap::kAny}); },
          .keep =
              [](Capabilities& can, const std::vector<std::string>& kept) {
                if (kept == NamesOf<Overlap>({Overlap::kAny})) can.overlap = false;
              }};
}

uint32_t CodeOf(Overlap overlap) {
  switch (overlap) {
    case Overlap::kAny: return ZEROCTS_OVERLAP_ANY;
    case Overlap::kOff: return ZEROCTS_OVERLAP_OFF;
    case Overlap::kOn: return ZEROCTS_OVERLAP_ON;
  }
  throw std::logic_error("Overlap out of range");
}

void TellOverlap(const Case& c, zerocts_open_args& args) { args.overlap = CodeOf(c.overlap); }

void AnyOverlap(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.overlap = Overlap::kAny; });
}

}  // namespace

Dimension OverlapDimension() {
  return {
      .name = "overlap",
      .values = ChosenBy("overlap", "Overlap of collectives with forward and backward (any: as the subject chooses)",
                         NamesOf(kOverlaps), Choices()),
      .form = {.fields = {NewerField(FieldOf("overlap", &Case::overlap, OverlapFromString))},
               .tell = TellOverlap,
               .features = {{"overlap", "collectives run beside forward and backward", Overlaps}}},
      .declared = {.requirements = {NeedsFlag({"overlap"}, "overlap", &Capabilities::overlap),
                                    NeedsValue({"overlap"}, "overlap", "on")},
                   .capabilities = {DeclaresFlag("overlap", &Capabilities::overlap)},
                   .beyond = BeyondOverlap,
                   .probes = ProbeForEach<Overlap>({Overlap::kOff, Overlap::kOn},
                                                   [](Case& c, Overlap overlap) { c.overlap = overlap; })},
      .drawn = {.on_request = true, .draw = DrawOverlap, .simplifications = {{Simplicity::kArrangement, AnyOverlap}}}};
}

}  // namespace zerocts
