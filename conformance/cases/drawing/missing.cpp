// What is missing in a subject for a clause under its conditions, in words.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/draw_case.hpp"

namespace zerocts {
namespace {

template <typename Item, typename Text>
std::string Listed(const std::vector<Item>& items, Text text) {
  std::string list;
  for (const Item& item : items) list += (list.empty() ? "" : " or ") + text(item);
  return list;
}

std::string StageText(int stage) { return "stage " + std::to_string(stage); }
std::string OptimizerText(OptimizerKind kind) { return ToString(kind); }
std::string OptimizersText(const CaseSpace& space, const Capabilities& can) {
  std::vector<OptimizerKind> wanted;
  for (const std::vector<OptimizerKind>& choice : OptimizerChoices(space))
    std::ranges::copy_if(choice, std::back_inserter(wanted),
                         [&](OptimizerKind kind) { return !Contains(wanted, kind); });
  const bool declared = !Common(wanted, can.optimizers).empty();
  return Listed(wanted, OptimizerText) + (declared ? " by a formula that has words" : "");
}
/// What gradients of the source need.
auto GradientsText(const CaseSpace& space, Precision precision, const Capabilities& can) {
  const std::string order = can.reduction_orders.empty() ? "a declared reduction order"
                                                         : "a reduction order declared for " + ToString(precision);
  return [=, bounded = space.bounded()](GradientSource source) -> std::string {
    if (source != GradientSource::kModel) return order;
    return bounded ? "groups and models mlp" : "groups with a reduction order that has a name";
  };
}

/// The declaration without which no case of the space is drawn; "" when more than one is missing. What the clause
/// varies is asked first: most often it is that.
std::string MissingFlag(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities) {
  std::vector<const Dimension*> dimensions;
  for (const Dimension& dimension : Dimensions()) dimensions.push_back(&dimension);
  std::ranges::stable_partition(dimensions, [&](const Dimension* one) { return space.varies(one->name); });
  for (const Dimension* dimension : dimensions) {
    for (const Capability& capability : dimension->declared.capabilities) {
      Capabilities more = capabilities;
      capability.declare(more);
      Draws draws(0);
      if (more != capabilities && DrawFittingCase(space, conditions, more, 50, draws)) return capability.name;
    }
  }
  return "";
}

/// Can layers be split over tensor ranks here, where the space has nothing else?
std::string MissingForSplitLayers(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& can) {
  if (!space.split_layers) return "";
  if (can.models.empty()) return "needs: models of its own";
  if (space.checkpoint && !can.checkpoint_tensor) return "needs: checkpoint_tensor";
  const auto is_split = [](int count) { return count > 1; };
  if (std::ranges::none_of(can.tensor_parallel, is_split)) return "needs: tensor_parallel";
  if (!TensorCounts(conditions.world_size, can.tensor_parallel).empty()) return "";
  return fmt::format("needs: a number of ranks that tensor ranks divide, not {}", conditions.world_size);
}

/// Does the subject split the layers of every model, so that there is nothing where gradients are given?
std::string MissingForWholeLayers(const CaseSpace& space, const Allowed& allowed, const Capabilities& can) {
  const bool may_split =
      (!space.checkpoint || can.checkpoint_tensor) && Contains(allowed.gradients, GradientSource::kModel);
  return allowed.whole_layers || may_split ? "" : "needs: tensor_parallel 1";
}

/// Without regard to what the run is held to.
std::string MissingOfSubject(const CaseSpace& space, const CaseConditions& conditions,
                             const Capabilities& capabilities) {
  const Allowed allowed = AllowedOf(space, conditions, capabilities);
  const int smallest = capabilities.min_world_size, largest = capabilities.max_world_size;
  if (conditions.world_size < smallest || conditions.world_size > largest) {
    return fmt::format("needs: world size {} (declared: {} to {})", conditions.world_size, smallest, largest);
  }
  const auto& dtypes = capabilities.param_dtypes;
  if (std::count(dtypes.begin(), dtypes.end(), conditions.precision) == 0)
    return "needs: " + ToString(conditions.precision);
  if (space.parity() && smallest > 1) return "needs: world size 1, with which the others are compared";
  if (space.parity() && conditions.world_size > 1 && !capabilities.accumulation) return "needs: accumulation";
  if (space.parity() && capabilities.min_replicas > 1) return "needs: one replica, with which the others are compared";
  if (conditions.world_size < capabilities.min_replicas) {
    return fmt::format("needs: ranks that can form {} replicas", capabilities.min_replicas);
  }
  if (space.bounded() && conditions.precision != Precision::kFp32) return "needs: fp32";
  if (allowed.stages.empty()) return "needs: " + Listed(space.stages, StageText);
  if (allowed.optimizers.empty()) {
    return "needs: " + OptimizersText(space, capabilities);
  }
  if (allowed.gradients.empty())
    return "needs: " + Listed(space.gradients, GradientsText(space, conditions.precision, capabilities));
  if (space.checkpoint && !capabilities.checkpoint) return "needs: checkpoint";
  if (space.checkpoint == CheckpointUse::kReshard) {
    if (!capabilities.checkpoint_reshard) return "needs: checkpoint_reshard";
    if (OtherWorldSizes(conditions, capabilities).empty()) return "needs: another world size";
  }
  if (std::string split = MissingForSplitLayers(space, conditions, capabilities); !split.empty()) return split;
  if (std::string whole = MissingForWholeLayers(space, allowed, capabilities); !whole.empty()) return whole;
  Draws draws(0);
  if (DrawFittingCase(space, conditions, capabilities, 50, draws)) return "";
  const std::string flag = MissingFlag(space, conditions, capabilities);
  if (!flag.empty()) return "needs: " + flag;
  return fmt::format("needs: more than is declared, allowed and possible here (no case of the space in {} draws)",
                     kDrawTries);
}

/// Does what is left by the constraints suffice for a case?
bool CanDraw(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities) {
  const Allowed allowed = AllowedOf(space, conditions, capabilities);
  if (allowed.stages.empty() || allowed.optimizers.empty() || allowed.gradients.empty()) return false;
  Draws draws(0);
  return DrawFittingCase(space, conditions, capabilities, 50, draws).has_value();
}

}  // namespace

std::string Missing(const CaseSpace& space, const CaseConditions& conditions, const Capabilities& capabilities) {
  const auto at = [&](Constraints constraints) {
    CaseConditions held = conditions;
    held.constraints = std::move(constraints);
    return held;
  };
  if (std::string missing = MissingOfSubject(space, at({}), capabilities); !missing.empty()) return missing;
  if (conditions.constraints.empty() || CanDraw(space, conditions, capabilities)) return "";
  return "needs: " + RunWithout(conditions.constraints,
                                [&](const Constraints& one) { return !CanDraw(space, at(one), capabilities); });
}

}  // namespace zerocts
