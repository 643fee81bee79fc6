#include "conformance/cli/check/judged_part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cases/draws/model_shapes.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/coverage/coverage_minimums.hpp"

namespace zerocts {
namespace {

/// "world sizes 1, 3 only" when something of `all` is not chosen.
template <typename Item, typename Text>
void AddNarrowed(const std::string& one, const std::vector<Item>& chosen, const std::vector<Item>& all, Text text,
                 std::vector<std::string>& parts) {
  const auto is_chosen = [&](const Item& item) { return std::ranges::find(chosen, item) != chosen.end(); };
  if (chosen.empty() || std::ranges::all_of(all, is_chosen)) return;
  std::vector<std::string> names;
  for (const Item& item : chosen) names.push_back(text(item));
  parts.push_back(fmt::format("{}{} {} only", one, names.size() == 1 ? "" : "s", fmt::join(names, ", ")));
}

bool TakesAway(const Constraint& constraint) {
  return std::ranges::any_of(ConstraintOptions(), [&](const ConstraintOption& option) {
    return option.name == constraint.option && option.takes_away;
  });
}

}  // namespace

std::string JudgedPart(const SessionSettings& settings, size_t clauses) {
  const Capabilities& can = settings.info.capabilities;
  const auto number = [](int n) { return std::to_string(n); };
  std::vector<std::string> parts;
  if (clauses < AllClauses().size())
    parts.push_back(fmt::format("{} chosen clause{}", clauses, clauses == 1 ? "" : "s"));
  AddNarrowed("world size", settings.world_sizes, DefaultWorldSizes(can), number, parts);
  const auto itself = [](const std::string& word) { return word; };
  for (const Constraint& constraint : settings.constraints) {
    if (TakesAway(constraint)) {
      parts.push_back(fmt::format("without {}", fmt::join(constraint.words, ", ")));
      continue;
    }
    if (constraint.shapes) {
      parts.push_back("shapes of " + constraint.shapes->Text());
      continue;
    }
    AddNarrowed(constraint.option, constraint.words, AvailableWords(constraint.option, TermsOf(settings)), itself,
                parts);
  }
  AddNarrowed(
      "precision", settings.precisions, can.param_dtypes, [](Precision precision) { return ToString(precision); },
      parts);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace zerocts
