// Parameters that get no gradient, from some micro-batches or from all.
#include "conformance/cases/dimensions/case_fields.hpp"
#include "conformance/cases/dimensions/declarations.hpp"
#include "conformance/cases/dimensions/owners.hpp"
#include "conformance/cases/dimensions/probes.hpp"

namespace zerocts {
namespace {

bool IsMissingFromSome(const Case& c) {
  const Experiment& e = c.experiment;
  return std::ranges::any_of(e.roles.missing, [&](const MissingGradient& missing) {
    return IsUpdated(e, e.roles.OwnerOf(missing.parameter), missing.step);
  });
}

bool IsMissingFromAll(const Case& c) {
  const Experiment& e = c.experiment;
  return AnyOwnerAtAnyStep(e,
                           [&](int p, int64_t step) { return !e.roles.IsFrozen(p, step) && !IsUpdated(e, p, step); });
}

std::string BeyondMissing(const Case& c, const Capabilities& can) {
  const ParameterRoles& roles = c.experiment.roles;
  const bool missing = !roles.missing.empty() || !roles.without_gradient.empty();
  return Undeclared("missing_gradients", c.missing_as_null && missing, can.missing_gradients);
}

/// Gives no rank a gradient of the first parameter that has elements, in the first step.
void GiveNoGradient(Case& c) {
  const auto& parameters = c.experiment.parameters;
  for (int p = 0; p < static_cast<int>(parameters.size()); ++p) {
    if (parameters[static_cast<size_t>(p)].numel() == 0) continue;
    c.experiment.roles.without_gradient = {{p, 0, 1}};
    return;
  }
}

/// One parameter in one step lacks those of all micro-batches, of one rank's, or of any but all.
bool DrawMissing(Drawing& drawing) {
  if (!drawing.varied || !drawing.can.missing_gradients || !drawing.given()) return true;
  Draws& draws = drawing.draws;
  if (!draws.Percent(75)) return true;
  Experiment& e = drawing.e;
  const int64_t micro_batches = drawing.micro_batches_of_all_ranks();
  const int parameter = static_cast<int>(draws.Between(0, drawing.parameters() - 1));
  if (e.roles.IsBuffer(parameter)) return true;
  const int64_t step = draws.Between(0, e.steps - 1), kind = draws.Between(1, 10);
  if (kind <= 4 || micro_batches == 1) {
    e.roles.without_gradient.push_back({parameter, step, step + 1});
    return true;
  }
  const int64_t present = draws.Between(0, micro_batches - 1), rank = draws.Between(0, e.world_size - 1);
  for (int64_t g = 0; g < micro_batches; ++g) {
    const bool is_missing = kind <= 6 ? g / e.micro_batches == rank : g != present && draws.Percent(60);
    if (is_missing && GivesGradient(e, parameter, step, g)) e.roles.missing.push_back({parameter, step, g});
  }
  return true;
}

void FewerMissing(Simplifying& simpler) {
  simpler.TryFewer([](auto& e) -> auto& { return e.roles.missing; });
  simpler.TryFewer([](auto& e) -> auto& { return e.roles.without_gradient; });
  simpler.Try([](Case& c, Experiment&) { c.missing_as_null = true; });
}

std::string KindOfMissing(const Case& c) {
  return IsMissingFromAll(c) ? "from all" : IsMissingFromSome(c) ? "from some" : "none";
}

}  // namespace

Dimension MissingGradientsDimension() {
  return {
      .name = "missing gradients",
      .values = ValuesIf(&Capabilities::missing_gradients, {"none", "from some", "from all"}, KindOfMissing),
      .form = {.fields = {NewerField(FieldOf("missing_as_null", &Case::missing_as_null))},
               .features = {{"missing_some",
                             "in some step a parameter has no gradient from some micro-batches, and one from others",
                             IsMissingFromSome},
                            {"missing_all",
                             "in some step a parameter has no gradient from any micro-batch, and is not frozen",
                             IsMissingFromAll}}},
      .declared = {.requirements = {NeedsFlag({"missing_some", "missing_all"}, "missing_gradients",
                                              &Capabilities::missing_gradients)},
                   .capabilities = {DeclaresFlag("missing_gradients", &Capabilities::missing_gradients)},
                   .beyond = BeyondMissing,
                   .probes = {ProbeFor(GiveNoGradient)}},
      .drawn = {.on_request = true, .draw = DrawMissing, .simplifications = {{Simplicity::kRoles, FewerMissing}}}};
}

}  // namespace zerocts
