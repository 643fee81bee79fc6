#include "conformance/cases/drawing/draw_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cases/draws/shapes.hpp"
#include "conformance/cases/inputs/exact_mean.hpp"

namespace zerocts {
namespace {

/// What is declared and not left out by the run.
Capabilities AvailableAt(const CaseConditions& conditions, const Capabilities& capabilities) {
  return AtPrecision(Narrowed(capabilities, conditions.constraints), conditions.precision);
}

/// Every clause varies what the run holds to some values.
CaseSpace VariedFor(const Constraints& constraints, CaseSpace space) {
  for (const Constraint& constraint : constraints) {
    for (const Hold& hold : constraint.holds) {
      if (FindDimension(hold.dimension).drawn.on_request) space.vary.insert(hold.dimension);
    }
  }
  return space;
}

/// Are the subject's gradients from this source what the space can judge?
bool CanJudge(const CaseSpace& space, GradientSource source, const Capabilities& can) {
  const bool has_order = space.parity() ? NamesAnOrderOfOneRank(can) : !can.reduction_orders.empty();
  if (source != GradientSource::kModel) return IsExact(source) || has_order;
  if (!can.groups) return false;  // matrices and biases are two groups
  if (!AreModelsJudgedBy(space.fidelity, can)) return false;
  if (space.bounded()) return Contains<std::string>(can.models, "mlp");
  return has_order && NamesAnOrder(can) && (can.host_computes_models || !can.models.empty());
}

/// Whether means are rounded even of gradients whose mean is a small integer.
bool RoundsEveryMean(const Capabilities& can, int world_size) {
  return can.inexact_mean && !KeepsIntegerMeans(world_size);
}

/// Whether the case may have what it has of the dimension; its other dimensions may still be unset.
bool Allows(const Constraints& constraints, const Dimension& dimension, const Case& c) {
  return AllHolds(constraints, [&](const Hold& hold) {
    return hold.dimension != dimension.name || Contains(hold.values, dimension.values.of(c));
  });
}

/// What a subject can do of a space under its conditions: the same in every try.
struct Available {
  const CaseSpace space;
  const CaseConditions& conditions;
  const Capabilities& of_all;  // also what the run left out
  const Capabilities can = AvailableAt(conditions, of_all);
  const Allowed allowed = AllowedOf(space, conditions, of_all);
};

bool Fits(const Available& available, const Case& c) {
  return Problem(c).empty() && (!available.space.keep || available.space.keep(c)) &&
         !RoundsTheMean(available.of_all, c) && !LeavesTooLittle(c, available.of_all);
}

/// Nothing when what was drawn does not fit together. Expensive values are computed only for valid cases.
std::optional<Case> TryToDraw(const Available& available, int size, Draws& draws) {
  const CaseSpace& space = available.space;
  const CaseConditions& conditions = available.conditions;
  Drawing drawing{space, conditions, available.can, available.allowed, size, draws};
  drawing.c.clause = space.clause;
  drawing.e.world_size = conditions.world_size;
  drawing.e.precision = conditions.precision;
  drawing.e.seed = static_cast<uint64_t>(draws.Between(1, 1'000'000'000));
  for (const Dimension& dimension : Dimensions()) {
    drawing.varied = space.varies(dimension.name);
    if (dimension.drawn.draw && !dimension.drawn.draw(drawing)) return std::nullopt;
    if (!Allows(conditions.constraints, dimension, drawing.c)) return std::nullopt;
  }
  const auto finished = [&] {
    Case c = drawing.c;
    if (space.finish) space.finish(c);
    return c;
  };
  if (!Fits(available, finished())) return std::nullopt;
  for (const Dimension& dimension : Dimensions()) {
    if (dimension.drawn.finalize) dimension.drawn.finalize(drawing);
  }
  Case c = finished();
  return Meets(c, conditions.constraints) ? std::optional(std::move(c)) : std::nullopt;
}

}  // namespace

std::string Problem(const CaseSpace& space) {
  std::vector<std::string> on_request;
  for (const Dimension& dimension : Dimensions()) {
    if (dimension.drawn.on_request) on_request.push_back(dimension.name);
  }
  for (const std::string& name : space.vary) {
    if (Contains(on_request, name)) continue;
    return fmt::format("vary: expected dimensions that are drawn on request ({}), got '{}'",
                       fmt::join(on_request, ", "), name);
  }
  return "";
}

Allowed AllowedOf(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& of_all) {
  const Capabilities capabilities = AvailableAt(conditions, of_all);
  Allowed allowed;
  allowed.stages = Common(space.stages, capabilities.stages);
  for (const std::vector<OptimizerKind>& choice : OptimizerChoices(space)) {
    if (!allowed.optimizers.empty()) break;
    allowed.optimizers = Common(choice, capabilities.optimizers);
    std::erase_if(allowed.optimizers,
                  [&](OptimizerKind optimizer) { return !IsJudgedBy(space.fidelity, optimizer, capabilities); });
  }
  allowed.plans = capabilities.plans;
  allowed.reduction_orders = capabilities.reduction_orders;
  allowed.gradient_sync = capabilities.gradient_sync;
  allowed.min_replicas = capabilities.min_replicas;
  allowed.whole_layers = !space.split_layers && Contains(capabilities.tensor_parallel, 1);
  for (const GradientSource source : space.gradients) {
    const bool is_rounded = IsExact(source) && source != GradientSource::kZero;
    if (is_rounded && RoundsEveryMean(capabilities, conditions.world_size)) continue;
    if (CanJudge(space, source, capabilities)) allowed.gradients.push_back(source);
  }
  if (space.varies("clipping") && capabilities.clip && capabilities.inexact_norm && !space.bounded() &&
      !RoundsEveryMean(capabilities, conditions.world_size) &&
      !Contains(allowed.gradients, GradientSource::kPythagorean)) {
    allowed.gradients.push_back(GradientSource::kPythagorean);  // else there would be nothing to clip by
  }
  return allowed;
}

std::optional<Case> DrawFittingCase(const CaseSpace& space, const CaseConditions& conditions,
                                    const Capabilities& capabilities, int size, Draws& draws) {
  const Available available{VariedFor(conditions.constraints, space), conditions, capabilities};
  for (int attempt = 0; attempt < kDrawTries; ++attempt) {
    if (auto c = TryToDraw(available, size, draws)) return c;
  }
  return std::nullopt;
}

}  // namespace zerocts
