// Do collectives run beside forward and backward?
#include "conformance/cases/dimensions/declarations.hpp"

namespace zerocts {
namespace {

bool Overlaps(const Case& c) { return c.overlap == Overlap::kOn; }

std::string BeyondOverlap(const Case& c, const Capabilities& can) {
  return Undeclared("overlap", c.overlap != Overlap::kAny, can.overlap);
}

bool DrawOverlap(Drawing& drawing) {
  if (drawing.space.overlap && drawing.can.overlap) {
    drawing.c.overlap = drawing.draws.Pick<Overlap>({Overlap::kAny, Overlap::kOff, Overlap::kOn});
  }
  return true;
}

void AnyOverlap(Simplifying& simpler) {
  simpler.Try([](Case& c, Experiment&) { c.overlap = Overlap::kAny; });
}

}  // namespace

Dimension OverlapDimension() {
  return {.name = "overlap",
          .features = {{"overlap", "collectives run beside forward and backward", Overlaps}},
          .demands = {NeedsFlag({"overlap"}, "overlap", &Capabilities::overlap)},
          .offers = {OffersFlag("overlap", &Capabilities::overlap)},
          .beyond = BeyondOverlap,
          .draw = DrawOverlap,
          .simplifications = {{Simplicity::kArrangement, AnyOverlap}}};
}

}  // namespace zerocts
