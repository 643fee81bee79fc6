// Why a log proves no verdict.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/view/run_view.hpp"
#include "conformance/report/view/verdict_of_run.hpp"

namespace zerocts {
namespace {

/// The first complaint that is one.
std::string FirstOf(std::initializer_list<std::string> complaints) {
  for (const std::string& complaint : complaints) {
    if (!complaint.empty()) return complaint;
  }
  return "";
}

std::string UnfinishedClause(const RunView& view) {
  const auto unfinished = std::ranges::find(view.clauses, false, &ClauseView::ended);
  return unfinished == view.clauses.end() ? "" : fmt::format("{} was not ended", unfinished->id);
}

std::string ImpossibleCount(const RunView& view) {
  for (const ClauseView& clause : view.clauses) {
    for (const ConfigurationView& configuration : clause.configurations) {
      if (configuration.cases < 0)
        return fmt::format("{} has {} cases under {}", clause.id, configuration.cases, configuration.name());
    }
  }
  return "";
}

std::string OtherThanAnnounced(const RunView& view) {
  const std::string difference = Difference(view.announced, view.there);
  return difference.empty() ? "" : fmt::format("the log is not whole: {}", difference);
}

/// Every clause of the plan ran in all configurations; one in which the harness failed breaks off.
std::string OtherThanPlanned(const RunView& view) {
  if (!view.plan) return "";
  for (const std::string& id : view.plan->clauses) {
    const auto clause = std::ranges::find(view.clauses, id, &ClauseView::id);
    if (clause == view.clauses.end()) return fmt::format("{} was planned, and is not there", id);
    if (clause->configurations.size() != view.plan->configurations && clause->result != Result::kHarnessError) {
      return fmt::format("{} configurations of {} planned, {} there", view.plan->configurations, id,
                         clause->configurations.size());
    }
  }
  return "";
}

std::string Contradiction(const RunView& view) {
  const auto said = [](const Verdict& verdict) {
    return fmt::format("{} (exit code {})", verdict.text, verdict.exit_code);
  };
  const Verdict proven = VerdictOf(SummaryOf(view));
  if (view.verdict == proven) return "";
  return fmt::format("run_end says {}, the records say {}", said(view.verdict), said(proven));
}

}  // namespace

std::string RunView::Objection() const {
  if (!damage.empty()) return damage;
  if (run.is_null()) return "the log holds no run";
  if (!end) return "the run was cut off: its log has no run_end";
  return FirstOf({OtherThanAnnounced(*this), UnfinishedClause(*this), ImpossibleCount(*this), OtherThanPlanned(*this),
                  Contradiction(*this)});
}

int RunView::exit_code() const { return Objection().empty() ? verdict.exit_code : ExitCodeOf(Result::kHarnessError); }

}  // namespace zerocts
