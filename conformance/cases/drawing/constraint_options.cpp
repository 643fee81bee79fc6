#include "conformance/cases/drawing/constraint_options.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/dimensions/named_values.hpp"
#include "conformance/cases/draws/model_shapes.hpp"
#include "reference/plan/value/strategy.hpp"

namespace zerocts {
namespace {

constexpr const char* kStrategy = "strategy";
constexpr const char* kWithout = "without";

const Dimension& ChosenBy(const std::string& option) {
  const auto found =
      std::ranges::find_if(Dimensions(), [&](const Dimension& dimension) { return dimension.values.option == option; });
  if (found == Dimensions().end()) throw std::out_of_range("no dimension is chosen by the option '" + option + "'");
  return *found;
}

std::string WordOf(const Dimension& dimension, const std::string& value) {
  return dimension.values.option + "=" + value;
}

/// "stage=3", "offload=full", .. of all dimensions whose values have names.
std::vector<std::string> ValuesThatCanBeTakenAway(const RunTerms& terms) {
  std::vector<std::string> words;
  for (const Dimension& dimension : Dimensions()) {
    if (dimension.values.option.empty()) continue;
    for (const std::string& value : dimension.values.available(terms)) words.push_back(WordOf(dimension, value));
  }
  return words;
}

/// The values that are left of each dimension that loses one of its values.
std::vector<Hold> HoldsWithout(const std::vector<std::string>& words, const RunTerms& terms) {
  std::vector<Hold> holds;
  for (const Dimension& dimension : Dimensions()) {
    if (dimension.values.option.empty()) continue;
    const std::vector<std::string> all = dimension.values.available(terms);
    std::vector<std::string> left = all;
    std::erase_if(left, [&](const std::string& value) { return Contains(words, WordOf(dimension, value)); });
    if (left.size() < all.size()) holds.push_back({dimension.name, left});
  }
  return holds;
}

/// Can some ranks of the run form so many replicas of more than one rank each?
bool IsSharded(const std::string& replicas, const RunTerms& terms) {
  return std::ranges::any_of(terms.world_sizes, [&](int world_size) {
    return std::ranges::any_of(ShardedReplicaCounts(world_size),
                               [&](int count) { return NameOfValue(count) == replicas; });
  });
}

std::vector<std::string> MeshesOf(const Strategy& strategy, const RunTerms& terms) {
  std::vector<std::string> meshes = FindDimension("mesh").values.available(terms);
  std::erase_if(meshes, [&](const std::string& replicas) {
    return strategy.hybrid ? !IsSharded(replicas, terms) : replicas != NameOfValue(1);
  });
  return meshes;
}

std::vector<std::string> StrategyNames() {
  std::vector<std::string> names;
  for (const Strategy& strategy : kStrategies) names.emplace_back(strategy.name);
  return names;
}

/// Those whose stage and mesh the run can have.
std::vector<std::string> AvailableStrategies(const RunTerms& terms) {
  std::vector<std::string> names;
  for (const Strategy& strategy : kStrategies) {
    if (Contains(terms.can.stages, strategy.stage) && !MeshesOf(strategy, terms).empty())
      names.emplace_back(strategy.name);
  }
  return names;
}

/// Its stage and its mesh.
std::vector<Hold> HoldsOfStrategy(const std::string& name, const RunTerms& terms) {
  const auto* strategy = std::ranges::find(kStrategies, name, &Strategy::name);
  if (strategy == std::end(kStrategies)) throw std::out_of_range("there is no strategy '" + name + "'");
  return {{"stage", {NameOfValue(strategy->stage)}}, {"mesh", MeshesOf(*strategy, terms)}};
}

std::vector<ConstraintOption> AllOptions() {
  std::vector<ConstraintOption> options = {
      {kStrategy, "FSDP sharding strategy; sets stage and mesh", StrategyNames(), false},
      {kWithout, "Leave out cases with these values, such as stage=3,offload=full", {}, true, true}};
  for (const Dimension& dimension : Dimensions()) {
    const NamedValues& values = dimension.values;
    if (!values.option.empty()) options.push_back({values.option, values.meaning, values.known});
  }
  return options;
}

}  // namespace

const std::vector<ConstraintOption>& ConstraintOptions() {
  static const std::vector<ConstraintOption> kOptions = AllOptions();
  return kOptions;
}

std::vector<std::string> AvailableWords(const std::string& option, const RunTerms& terms) {
  if (option == kWithout) return ValuesThatCanBeTakenAway(terms);
  return option == kStrategy ? AvailableStrategies(terms) : ChosenBy(option).values.available(terms);
}

Constraint ConstraintOf(const std::string& option, const std::vector<std::string>& words, const RunTerms& terms) {
  if (option == kStrategy) return {option, words, HoldsOfStrategy(words.front(), terms)};
  if (option == kWithout) return {option, words, HoldsWithout(words, terms)};
  return {option, words, {{ChosenBy(option).name, words}}};
}

Constraint ConstraintOfFile(const FilePlan& file) {
  return {
      .option = "plan",
      .words = {std::string(kFilePrefix) + file.name.substr(file.name.rfind('/') + 1)},
      .holds = {{"plan", {file.name}}, {"stage", {NameOfValue(file.stage)}}, {"mesh", {NameOfValue(file.replicas)}}},
      .file = std::make_shared<const FilePlan>(file)};
}

Constraint ConstraintOfShapes(const ModelShapes& shapes) {
  return {
      .option = "shapes", .words = {shapes.name}, .holds = {}, .shapes = std::make_shared<const ModelShapes>(shapes)};
}

bool Meets(const Case& c, const Constraints& constraints) {
  const FilePlan* file = FileOf(constraints);
  return (!file || Fits(c, *file)) && AllHolds(constraints, [&](const Hold& hold) {
           return Contains(hold.values, FindDimension(hold.dimension).values.of(c));
         });
}

Capabilities Narrowed(Capabilities capabilities, const Constraints& constraints) {
  for (const Constraint& constraint : constraints) {
    for (const Hold& hold : constraint.holds) FindDimension(hold.dimension).values.keep(capabilities, hold.values);
  }
  return capabilities;
}

}  // namespace zerocts
