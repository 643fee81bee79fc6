#include "conformance/report/view/not_reached.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace zerocts {
namespace {

constexpr size_t kFewClauses = 3;

/// "clip" of "clip_active needs: clip"; none: it is the suite that has no words for it yet.
std::optional<std::string> Lacking(const std::string& need) {
  const std::string mark = "needs: ";
  const size_t at = need.find(mark);
  return at == std::string::npos ? std::nullopt : std::optional(need.substr(at + mark.size()));
}

bool LacksItsPrecision(const ConfigurationView& configuration) {
  return Lacking(configuration.reason) == configuration.precision;
}

/// It was not judged, and with other precisions alone it would not be either.
bool LacksMore(const ClauseView& clause) {
  return clause.result == Result::kNotApplicable &&
         std::ranges::any_of(clause.configurations,
                             [](const ConfigurationView& s) { return Lacking(s.reason) && !LacksItsPrecision(s); });
}

void Add(const ClauseView& clause, NotReached& all) {
  const bool judged = clause.result != Result::kNotApplicable, lacks_more = LacksMore(clause);
  NotReached::List& lacking = judged ? all.partly_lacking : all.lacking;
  const auto add = [&](const std::string& need, NotReached::List& otherwise) {
    const std::optional<std::string> lack = Lacking(need);
    (lack ? lacking : otherwise)[lack.value_or(need)].insert(clause.id);
  };
  if (!clause.ConfigurationsExplainResult()) all.not_enough[clause.Complaint()].insert(clause.id);
  std::set<std::string> by_configurations;  // these are among the needs, too
  for (const ConfigurationView& configuration : clause.configurations) {
    const bool said_before =
        !configuration.failures.empty() || configuration.result == Result::kStale;  // with the failures
    if (configuration.reason.empty() || said_before || configuration.asked_elsewhere) continue;
    if (lacks_more && LacksItsPrecision(configuration)) continue;
    if (configuration.result == Result::kNotApplicable) {
      by_configurations.insert(configuration.reason);
      add(configuration.reason, all.not_applicable);
    } else if (configuration.result == Result::kTold) {
      all.told[fmt::format("{} under {}", configuration.reason, configuration.launcher)].insert(clause.id);
    } else {
      all.not_enough[configuration.reason].insert(clause.id);
    }
  }
  for (const std::string& need : clause.needs) {
    const bool would_widen =
        Lacking(need) && !judged && !by_configurations.empty();  // what it lacks at all is said above
    if (!by_configurations.contains(need) && !would_widen) add(need, all.not_asked);
  }
}

}  // namespace

std::vector<NotReached::Named> NotReached::lists() const {
  std::vector<Named> named = {{"Not checked enough", &not_enough},
                              {"Told by the subject alone", &told},
                              {"Not applicable to this subject", &not_applicable},
                              {"Not judged, for the subject or this run lacks", &lacking},
                              {"Judged without what the subject or this run lacks", &partly_lacking},
                              {"Not asked by the suite yet", &not_asked}};
  std::erase_if(named, [](const Named& n) { return n.list->empty(); });
  return named;
}

NotReached NotReachedBy(const RunView& view) {
  NotReached all;
  for (const ClauseView& clause : view.clauses) Add(clause, all);
  return all;
}

std::string FewClauses(const std::set<std::string>& ids) {
  if (ids.size() > kFewClauses) return fmt::format("{} clauses", ids.size());
  return fmt::format("{}", fmt::join(ids, ", "));
}

}  // namespace zerocts
