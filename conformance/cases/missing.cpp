// What a subject lacks for a clause at a place, in words.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/cases/draw_case.hpp"

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
std::string PlanText(const std::string& plan) { return "plan " + plan; }
std::string GradientsText(GradientSource source) {
  return source == GradientSource::kModel ? "groups with a declared reduction order" : "a declared reduction order";
}

/// The declaration without which no case of the space is drawn; "" when more than one is missing.
std::string MissingFlag(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities) {
  constexpr std::pair<bool Capabilities::*, const char*> kFlags[] = {
      {&Capabilities::accumulation, "accumulation"},
      {&Capabilities::clip, "clip"},
      {&Capabilities::groups, "groups"},
      {&Capabilities::set_group, "set_group"},
      {&Capabilities::bucket_cap_bytes, "bucket_cap_bytes"}};
  for (const auto& [flag, name] : kFlags) {
    if (capabilities.*flag) continue;
    Capabilities with_flag = capabilities;
    with_flag.*flag = true;
    Draws draws(0);
    if (DrawFittingCase(space, place, with_flag, 50, draws)) return name;
  }
  return "";
}

}  // namespace

std::string Missing(const CaseSpace& space, const CasePlace& place, const Capabilities& capabilities) {
  const Allowed allowed = AllowedOf(space, place, capabilities);
  const int smallest = capabilities.min_world_size, largest = capabilities.max_world_size;
  if (place.world_size < smallest || place.world_size > largest) {
    return fmt::format("needs: world size {} (declared: {} to {})", place.world_size, smallest, largest);
  }
  const auto& dtypes = capabilities.param_dtypes;
  if (std::count(dtypes.begin(), dtypes.end(), place.precision) == 0) return "needs: " + ToString(place.precision);
  if (allowed.stages.empty()) return "needs: " + Listed(space.stages, StageText);
  if (allowed.optimizers.empty()) {
    return "needs: " + (space.simple_sgd ? "sgd" : Listed(space.optimizers, OptimizerText));
  }
  if (allowed.plans.empty() && !place.plans.empty()) return "needs: " + Listed(place.plans, PlanText);
  if (allowed.gradients.empty()) return "needs: " + Listed(space.gradients, GradientsText);
  Draws draws(0);
  if (DrawFittingCase(space, place, capabilities, 50, draws)) return "";
  const std::string flag = MissingFlag(space, place, capabilities);
  if (!flag.empty()) return "needs: " + flag;
  return fmt::format("needs: more than is declared, allowed and possible here (no case of the space in {} draws)",
                     kDrawTries);
}

}  // namespace zerocts
