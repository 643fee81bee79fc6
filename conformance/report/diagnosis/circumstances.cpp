#include "conformance/report/diagnosis/circumstances.hpp"

#include <algorithm>
#include <set>

#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cases/whole/features.hpp"

namespace zerocts {
namespace {

struct FailingCase {
  const ClauseView* clause;
  std::set<std::string> features;
};

void AddFailing(const ClauseView& clause, const nlohmann::json& failure, std::vector<FailingCase>& failing) {
  if (failure.contains("drawn_features")) {
    failing.push_back({&clause, failure["drawn_features"]});
    return;
  }
  if (!failure.contains("case")) return;
  try {
    failing.push_back({&clause, FeaturesOf(CaseFromJson(failure["case"]))});
  } catch (const std::invalid_argument&) {  // of another version
  }
}

std::vector<FailingCase> FailingCasesOf(const RunView& view) {
  std::vector<FailingCase> failing;
  for (const ClauseView& clause : view.clauses) {
    for (const ConfigurationView& configuration : clause.configurations) {
      for (const nlohmann::json& failure : configuration.failures) AddFailing(clause, failure, failing);
    }
  }
  return failing;
}

std::set<std::string> FeaturesDrawn(const std::vector<FailingCase>& failing) {
  std::set<std::string> drawn;
  for (const FailingCase& one : failing) {
    for (const auto& [feature, count] : one.clause->features) drawn.insert(feature);
  }
  return drawn;
}

/// The share of the clause's cases that have the feature, from 0 to 1.
double ShareWith(const ClauseView& clause, const std::string& feature) {
  const auto found = clause.features.find(feature);
  const int64_t with = found == clause.features.end() ? 0 : found->second, cases = clause.cases();
  return cases > 0 ? std::min(1.0, static_cast<double>(with) / static_cast<double>(cases)) : 0;
}

double ChanceOf(const std::string& feature, bool present, const std::vector<FailingCase>& failing) {
  double chance = 1;
  for (const FailingCase& one : failing) {
    const double share = ShareWith(*one.clause, feature);
    chance *= present ? share : 1 - share;
  }
  return chance;
}

}  // namespace

std::string Circumstance::Text() const { return (present ? "" : "no ") + feature; }

std::vector<Circumstance> CircumstancesOf(const RunView& view) {
  const std::vector<FailingCase> failing = FailingCasesOf(view);
  std::vector<Circumstance> circumstances;
  for (const std::string& feature : FeaturesDrawn(failing)) {
    const auto with =
        std::ranges::count_if(failing, [&](const FailingCase& f) { return f.features.contains(feature); });
    if (with != 0 && with != std::ssize(failing)) continue;
    const double chance = ChanceOf(feature, with != 0, failing);
    if (chance < kChance) circumstances.push_back({feature, with != 0, chance});
  }
  std::ranges::stable_sort(circumstances, {}, &Circumstance::chance);
  return circumstances;
}

}  // namespace zerocts
