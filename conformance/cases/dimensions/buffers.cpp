// Parameters that are never updated.
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/probes.hpp"
#include "conformance/cases/draws/role_edits.hpp"

namespace zerocts {
namespace {

bool HasBuffer(const Case& c) { return !c.experiment.roles.buffers.empty(); }

std::string BeyondBuffers(const Case& c, const Capabilities& can) {
  return Undeclared("buffers", HasBuffer(c), can.buffers);
}

/// One of a model's own parameters; else one more, so that enough is left to train.
bool DrawBuffer(Drawing& drawing) {
  if (!drawing.varied || !drawing.can.buffers || !drawing.draws.Percent(60)) return true;
  Experiment& e = drawing.e;
  const int last = drawing.given() ? drawing.parameters() : drawing.parameters() - 1;
  const int buffer = static_cast<int>(drawing.draws.Between(0, last));
  if (drawing.given()) {
    InsertParameter(e, buffer, {"buffer", {drawing.draws.Between(1, 7)}, e.parameters.front().group});
  }
  e.roles.buffers = {buffer};
  return true;
}

/// Behind the others.
void AddBuffer(Case& c) {
  Experiment& e = c.experiment;
  const int buffer = static_cast<int>(e.parameters.size());
  InsertParameter(e, buffer, {"buffer", {3}, e.parameters.front().group});
  e.roles.buffers = {buffer};
}

void FewerBuffers(Simplifying& simpler) {
  simpler.TryFewer([](auto& e) -> auto& { return e.roles.buffers; });
}

}  // namespace

Dimension BuffersDimension() {
  return {.name = "buffers",
          .values = ValuesIf(&Capabilities::buffers, {"none", "one"},
                             [](const Case& c) { return NameOfCount(c.experiment.roles.buffers.size()); }),
          .form = {.features = {{"buffer", "a parameter that is never updated", HasBuffer}}},
          .declared = {.requirements = {NeedsFlag({"buffer"}, "buffers", &Capabilities::buffers),
                                        NeedsNoPlanFile({"buffer"})},
                       .capabilities = {DeclaresFlag("buffers", &Capabilities::buffers)},
                       .beyond = BeyondBuffers,
                       .probes = {ProbeFor(AddBuffer)}},
          .drawn = {.on_request = true, .draw = DrawBuffer, .simplifications = {{Simplicity::kRoles, FewerBuffers}}}};
}

}  // namespace zerocts
