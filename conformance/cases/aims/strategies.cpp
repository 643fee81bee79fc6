#include "conformance/cases/aims/strategies.hpp"

#include <algorithm>
#include <iterator>

#include "conformance/cases/dimensions/declarations.hpp"
#include "reference/plan/value/strategy.hpp"

namespace zerocts {
namespace {

std::vector<std::string> MeshesOf(const Strategy& strategy, const RunTerms& terms) {
  std::vector<std::string> meshes = FindDimension("mesh").values.offered(terms);
  std::erase_if(meshes, [&](const std::string& replicas) { return (replicas == NameOfValue(1)) == strategy.hybrid; });
  return meshes;
}

}  // namespace

std::vector<std::string> StrategyNames() {
  std::vector<std::string> names;
  for (const Strategy& strategy : kStrategies) names.emplace_back(strategy.name);
  return names;
}

std::vector<std::string> OfferedStrategies(const RunTerms& terms) {
  std::vector<std::string> names;
  for (const Strategy& strategy : kStrategies) {
    if (Contains(terms.can.stages, strategy.stage) && !MeshesOf(strategy, terms).empty())
      names.emplace_back(strategy.name);
  }
  return names;
}

std::vector<Hold> HoldsOfStrategy(const std::string& name, const RunTerms& terms) {
  const auto* strategy = std::ranges::find(kStrategies, name, &Strategy::name);
  if (strategy == std::end(kStrategies)) throw std::out_of_range("there is no strategy '" + name + "'");
  return {{"stage", {NameOfValue(strategy->stage)}}, {"mesh", MeshesOf(*strategy, terms)}};
}

}  // namespace zerocts
