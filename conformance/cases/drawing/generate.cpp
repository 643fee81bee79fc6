#include "conformance/cases/drawing/generate.hpp"

#include <algorithm>
#include <stdexcept>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/shrink.hpp"
#include "conformance/cases/draws/shapes.hpp"
#include "conformance/cases/inputs/exact_mean.hpp"

namespace zerocts {
namespace {

/// Is a shrunk case still one of the space, and as the run asks? Shrinking never asks for more than the case had, but
/// for a simpler optimizer and a later reduction.
bool IsOfSpace(const Case& c, const CaseSpace& space, const Constraints& constraints, const Allowed& allowed) {
  return allowed.min_replicas <= c.replicas && (allowed.whole_layers || c.tensor > 1) &&
         Contains(allowed.optimizers, c.experiment.optimizer) && Contains(allowed.gradient_sync, c.gradient_sync) &&
         c.experiment.steps >= space.min_steps && HasCheckpointOf(space, c) && Meets(c, constraints) &&
         (!space.keep || space.keep(c));
}

}  // namespace

rc::Gen<Case> CasesOf(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities) {
  const auto shrink = [space, constraints = conditions.constraints,
                       allowed = AllowedOf(space, conditions, capabilities), can = capabilities](const Case& c) {
    std::vector<Case> simpler = Shrink(c, can.min_world_size);
    std::erase_if(simpler, [&](const Case& candidate) {
      return !IsOfSpace(candidate, space, constraints, allowed) || RoundsTheMean(can, candidate) ||
             LeavesTooLittle(candidate, can);
    });
    return rc::seq::fromContainer(std::move(simpler));
  };
  return rc::Gen<Case>([=](const rc::Random& random, int size) {
    Draws draws(rc::Random(random).next());
    std::optional<Case> c =
        DrawFittingCase(space, conditions, capabilities, std::clamp(size, 0, conditions.largest_size), draws);
    if (!c) throw std::logic_error("clause " + space.clause + ": " + Missing(space, conditions, capabilities));
    return rc::shrinkable::shrinkRecur(*std::move(c), shrink);
  });
}

}  // namespace zerocts
