#include "conformance/report/view/not_reached.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace zerocts {
namespace {

constexpr size_t kFewClauses = 3;

/// "clip" of "clip_active needs: clip"; none: it is the suite that has no words for it yet.
std::optional<std::string> MissingIn(const std::string& need) {
  const std::string mark = "needs: ";
  const size_t at = need.find(mark);
  return at == std::string::npos ? std::nullopt : std::optional(need.substr(at + mark.size()));
}

bool MissesItsPrecision(const ConfigurationView& configuration) {
  return MissingIn(configuration.reason) == configuration.precision;
}

/// It was not judged, and with other precisions alone it would not be either.
bool MissesMore(const ClauseView& clause) {
  return !IsAsked(clause.result) && std::ranges::any_of(clause.configurations, [](const ConfigurationView& s) {
    return MissingIn(s.reason) && !MissesItsPrecision(s);
  });
}

void Add(const ClauseView& clause, NotReached& all) {
  const bool judged = IsAsked(clause.result), misses_more = MissesMore(clause);
  NotReached::List& missing = judged ? all.partly_missing : all.missing;
  const auto add = [&](const std::string& need, NotReached::List& otherwise) {
    const std::optional<std::string> name = MissingIn(need);
    (name ? missing : otherwise)[name.value_or(need)].insert(clause.id);
  };
  if (const std::string by = clause.LeftOutBy(); !by.empty()) {  // without the option it might lack nothing
    all.left_out[by.substr(std::string(kLeftOutBy).size())].insert(clause.id);
    return;
  }
  if (clause.result == Result::kNotRun) {
    all.not_run[clause.ReasonOfResult().substr(std::string(kNotRunBecause).size())].insert(clause.id);
    return;
  }
  if (!clause.ConfigurationsExplainResult()) all.not_enough[clause.Complaint()].insert(clause.id);
  std::set<std::string> by_configurations;  // these are among the needs, too
  for (const ConfigurationView& configuration : clause.configurations) {
    const bool said_before =
        !configuration.failures.empty() || configuration.result == Result::kStale;  // with the failures
    if (configuration.reason.empty() || said_before || configuration.asked_elsewhere) continue;
    if (misses_more && MissesItsPrecision(configuration)) continue;
    if (configuration.reason.starts_with(kNotSeen)) {
      all.not_seen[configuration.reason.substr(std::string(kNotSeen).size())].insert(clause.id);
    } else if (configuration.result == Result::kNotApplicable) {
      by_configurations.insert(configuration.reason);
      add(configuration.reason, all.not_applicable);
    } else if (configuration.result == Result::kSelfReported) {
      all.self_reported[fmt::format("{} under {}", configuration.reason, configuration.launcher)].insert(clause.id);
    } else if (configuration.reason.starts_with(kNotMeasured)) {
      all.not_measured[fmt::format("{} under {}", configuration.reason.substr(std::string(kNotMeasured).size()),
                                   configuration.launcher)]
          .insert(clause.id);
    } else {
      all.not_enough[configuration.reason].insert(clause.id);
    }
  }
  for (const std::string& need : clause.needs) {
    const bool would_widen =
        MissingIn(need) && !judged && !by_configurations.empty();  // what is missing at all is said above
    if (!by_configurations.contains(need) && !would_widen) add(need, all.not_asked);
  }
}

}  // namespace

std::vector<NotReached::Named> NotReached::lists() const {
  std::vector<Named> named = {{"Not run", &not_run},
                              {"Not checked enough", &not_enough},
                              {"Self-reported", &self_reported},
                              {"Not measured", &not_measured},
                              {"Left out by options of this run", &left_out},
                              {"Not applicable to this subject", &not_applicable},
                              {"Not seen in this run", &not_seen},
                              {"Not judged, missing in the subject or this run", &missing},
                              {"Judged without what is missing in the subject or this run", &partly_missing},
                              {"Not tested by the suite yet", &not_asked}};
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
