// Parameters that are not trained in some of the steps.
#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/owners.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool HasFrozen(const Case& c) {
  const ParameterRoles& roles = c.experiment.roles;
  return AnyOwnerAtAnyStep(c.experiment, [&](int p, int64_t step) { return roles.IsFrozen(p, step); });
}

bool HasThawed(const Case& c) {
  const ParameterRoles& roles = c.experiment.roles;
  return AnyOwnerAtAnyStep(c.experiment, [&](int p, int64_t step) {
    return step > 0 && !roles.IsFrozen(p, step) && roles.IsFrozen(p, step - 1);
  });
}

std::string BeyondFrozen(const Case& c, const Capabilities& can) {
  return Undeclared("frozen", !c.experiment.roles.frozen.empty(), can.frozen);
}

/// From a step on, to another or to the end. What a plan file has frozen is never trained.
bool DrawFrozen(Drawing& drawing) {
  const FilePlan* file = FileOf(drawing.conditions.constraints);
  if (file && !file->frozen.empty() && !drawing.can.frozen) return false;
  if (file) AddFrozen(*file, drawing.e);
  if (!drawing.varied || !drawing.can.frozen || !drawing.draws.Percent(60)) return true;
  for (int64_t spans = drawing.draws.Between(1, 2); spans > 0; --spans) {
    const int owner = DrawOwner(drawing);
    if (owner < 0) return true;
    const int64_t begin = drawing.draws.Between(0, drawing.e.steps - 1);
    drawing.e.roles.frozen.push_back({owner, begin, drawing.draws.Between(begin + 1, drawing.e.steps)});
  }
  return true;
}

void FewerFrozen(Simplifying& simpler) {
  simpler.TryFewer([](auto& e) -> auto& { return e.roles.frozen; });
}

}  // namespace

Dimension FrozenDimension() {
  return {
      .name = "frozen parameters",
      .values = ValuesIf(&Capabilities::frozen, {"none", "one", "two"},
                         [](const Case& c) { return NameOfCount(c.experiment.roles.frozen.size()); }),
      .form = {.features = {{"frozen", "a parameter is frozen in some step", HasFrozen},
                            {"thawed", "a frozen parameter is trained again", HasThawed}}},
      .declared = {.requirements = {NeedsFlag({"frozen", "thawed", "resumed_frozen"}, "frozen", &Capabilities::frozen)},
                   .capabilities = {DeclaresFlag("frozen", &Capabilities::frozen)},
                   .beyond = BeyondFrozen,
                   .probes = {ProbeFor([](Case& c) {
                     c.experiment.roles.frozen = {{0, 0, 1}};
                   })}},
      .drawn = {.on_request = true, .draw = DrawFrozen, .simplifications = {{Simplicity::kRoles, FewerFrozen}}}};
}

}  // namespace zerocts
