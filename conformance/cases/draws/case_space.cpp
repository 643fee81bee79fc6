#include "conformance/cases/draws/case_space.hpp"

#include "conformance/cases/capabilities/choices.hpp"

namespace zerocts {

CaseSpace SpaceFor(CaseSpace space, const Capabilities& capabilities) {
  if (space.or_bounded.empty() || !capabilities.inexact_models) return space;
  space.fidelity = Fidelity::kBounded;
  space.optimizers = space.or_bounded;
  return space;
}

std::vector<std::vector<OptimizerKind>> OptimizerChoices(const CaseSpace& space) {
  using enum OptimizerKind;
  const std::vector<OptimizerKind> first = space.plain_update ? std::vector{kSgd} : space.optimizers;
  if (space.bounded() || !Contains(first, kSgd)) return {first};
  return {first, {kAdamW, kAdam}};
}

Fidelity FidelityOf(const CaseSpace& space, const Experiment& experiment) {
  if (space.fidelity != Fidelity::kBitwise) return space.fidelity;
  return IsExact(experiment) ? Fidelity::kExactInputs : Fidelity::kDeclaredOrder;
}

bool HasCheckpointOf(const CaseSpace& space, const Case& c) {
  if (!space.checkpoint) return true;
  return c.checkpoint && c.checkpoint->how == *space.checkpoint &&
         c.checkpoint->damage.has_value() == space.varies("checkpoint damage");
}

std::vector<int> AvailableWorldSizes(std::vector<int> sizes, const Capabilities& capabilities) {
  std::erase_if(sizes,
                [&](int size) { return size < capabilities.min_world_size || size > capabilities.max_world_size; });
  return sizes;
}

std::vector<int> OtherWorldSizes(const CaseConditions& conditions, const Capabilities& capabilities) {
  std::vector<int> others = AvailableWorldSizes(conditions.world_sizes, capabilities);
  std::erase(others, conditions.world_size);
  return others;
}

}  // namespace zerocts
