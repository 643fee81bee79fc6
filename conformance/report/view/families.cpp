#include "conformance/report/view/families.hpp"

#include <algorithm>

namespace zerocts {
namespace {

constexpr const char* kNoFamily = "other clauses";

void Merge(std::map<int, Result>& cells, int world_size, Result result) {
  const auto [cell, is_new] = cells.emplace(world_size, result);
  if (!is_new) cell->second = Worst(cell->second, result);
}

FamilyView& Family(std::vector<FamilyView>& families, const std::string& name) {
  const auto found = std::ranges::find(families, name, &FamilyView::name);
  if (found != families.end()) return *found;
  families.push_back({.name = name});
  return families.back();
}

}  // namespace

int64_t FamilyView::judged() const {
  return std::ranges::count_if(clauses, [](const ClauseView* c) { return c->judged(); });
}

int64_t FamilyView::cases() const {
  int64_t sum = 0;
  for (const ClauseView* clause : clauses) sum += clause->cases();
  return sum;
}

std::map<int, Result> CellsOf(const ClauseView& clause) {
  std::map<int, Result> cells;
  for (const ConfigurationView& configuration : clause.configurations)
    Merge(cells, configuration.world_size, configuration.result);
  return cells;
}

std::vector<FamilyView> FamiliesOf(const RunView& view) {
  std::vector<FamilyView> families;
  for (const ClauseView& clause : view.clauses) {
    FamilyView& family = Family(families, clause.family.empty() ? kNoFamily : clause.family);
    family.clauses.push_back(&clause);
    family.result = Worst(family.result, clause.result);
    for (const auto& [world_size, result] : CellsOf(clause)) Merge(family.cells, world_size, result);
  }
  return families;
}

std::set<int> WorldSizesOf(const RunView& view) {
  std::set<int> world_sizes;
  for (const ClauseView& clause : view.clauses) {
    for (const ConfigurationView& configuration : clause.configurations) world_sizes.insert(configuration.world_size);
  }
  return world_sizes;
}

}  // namespace zerocts
