#include "conformance/report/view/run_diff.hpp"

#include <fmt/format.h>

#include "conformance/report/view/verdict_text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

struct PartResult {
  Result result = Result::kNotApplicable;
  std::string name, sentence;
};
using PartResults = std::map<RunPart, PartResult>;

std::string SentenceOf(const ConfigurationView& configuration) {
  return configuration.failures.empty() ? configuration.reason : configuration.failures.front().value("sentence", "");
}

PartResults ResultsOfParts(const RunView& view) {
  PartResults outcomes;
  for (const ClauseView& clause : view.clauses) {
    for (const ConfigurationView& configuration : clause.configurations)
      outcomes[{clause.id, configuration.name()}] = {configuration.result, clause.name, SentenceOf(configuration)};
    if (!clause.ConfigurationsExplainResult())
      outcomes[{clause.id, "as a whole"}] = {clause.result, clause.name, clause.Complaint()};
  }
  for (const GroupEndView& end : view.group_ends)
    outcomes[{"groups of ranks", end.name()}] = {end.result, "", end.record.value("sentence", "")};
  return outcomes;
}

/// How good a result is, as far as a change of it matters.
enum class Grade { kNotAsked, kSelfReported, kPasses, kKnownToFail, kFails };

Grade GradeOf(std::optional<Result> result) {
  switch (result.value_or(Result::kNotApplicable)) {
    case Result::kLeftOut:
    case Result::kNotRun:
    case Result::kNotApplicable: return Grade::kNotAsked;
    case Result::kSelfReported: return Grade::kSelfReported;
    case Result::kPass: return Grade::kPasses;
    case Result::kExpected: return Grade::kKnownToFail;
    default: return Grade::kFails;
  }
}

/// What stands in a log only when it is bad: it is neither lost nor new.
bool IsOnlyThereWhenBad(const RunPart& part) { return part.where == "as a whole" || part.what == "groups of ranks"; }

std::optional<ChangeKind> KindOf(const Change& change) {
  const Grade before = GradeOf(change.before), after = GradeOf(change.after);
  if (before == after) return std::nullopt;
  if (after == Grade::kNotAsked) return IsOnlyThereWhenBad(change.part) ? ChangeKind::kNewlyPassing : ChangeKind::kLost;
  if (after == Grade::kSelfReported && before == Grade::kPasses) return ChangeKind::kLost;
  if (after == Grade::kSelfReported || after == Grade::kPasses)
    return before < Grade::kPasses ? ChangeKind::kNew : ChangeKind::kNewlyPassing;
  if (after == Grade::kFails) return ChangeKind::kNewlyFailing;
  if (before == Grade::kFails) return std::nullopt;  // is now known to
  return before == Grade::kPasses ? ChangeKind::kNewlyFailing : ChangeKind::kNew;
}

using Revisions = std::map<std::string, int>;  // by clause

Revisions RevisionsOf(const RunView& view) {
  Revisions revisions;
  for (const ClauseView& clause : view.clauses) revisions[clause.id] = clause.revision;
  return revisions;
}

/// The changes of revision of the clauses that both runs have, by clause.
std::map<std::string, std::string> OtherRevisions(const RunView& before, const RunView& after) {
  std::map<std::string, std::string> texts;
  const Revisions earlier = RevisionsOf(before);
  for (const auto& [clause, revision] : RevisionsOf(after)) {
    const auto old = earlier.find(clause);
    if (old == earlier.end() || old->second == revision) continue;
    texts[clause] = fmt::format("{}: revision {} -> {}", clause, old->second, revision);
  }
  return texts;
}

bool IsWorse(ChangeKind kind) { return kind == ChangeKind::kNewlyFailing || kind == ChangeKind::kLost; }

std::string Who(const RunView& view) {
  return fmt::format("{} {}: {}", view.subject_name(), view.subject_version(),
                     view.Objection().empty() ? view.verdict.text : VerdictSentence(view));
}

std::string Shown(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::vector<std::string> DifferentConditions(const RunView& before, const RunView& after) {
  std::vector<std::string> conditions;
  if (!before.run.is_object() || !after.run.is_object()) return conditions;
  for (const char* what : {"version", "tier", "seed", "second_seed", "cases_per_clause", "launchers", "world_sizes",
                           "precisions", "partial", "expectations", "host"}) {
    const json a = before.run.value(what, json()), b = after.run.value(what, json());
    if (a != b) conditions.push_back(fmt::format("{}: {}, then {}", what, Shown(a), Shown(b)));
  }
  return conditions;
}

}  // namespace

RunDiff DiffOf(const RunView& before, const RunView& after) {
  RunDiff diff{.before = Who(before), .after = Who(after), .conditions = DifferentConditions(before, after)};
  for (const RunView* view : {&before, &after}) {
    if (!view->Objection().empty())
      diff.no_verdict.push_back(fmt::format("{} run: {}", view == &before ? "earlier" : "later", view->Objection()));
  }
  std::map<RunPart, Change> all;
  const auto change_at = [&](const RunPart& part, const PartResult& outcome) -> Change& {
    Change& change = all[part];
    change.part = part, change.name = outcome.name;
    return change;
  };
  for (const auto& [part, outcome] : ResultsOfParts(before)) change_at(part, outcome).before = outcome.result;
  for (const auto& [part, outcome] : ResultsOfParts(after)) {
    Change& change = change_at(part, outcome);
    change.after = outcome.result, change.sentence = outcome.sentence;
  }
  const std::map<std::string, std::string> revised = OtherRevisions(before, after);
  for (const auto& [clause, text] : revised) diff.revisions.push_back(text);
  for (const auto& [part, change] : all) {
    if (const std::optional<ChangeKind> kind = KindOf(change)) {
      const bool by_revision = IsWorse(*kind) && revised.contains(part.what);
      diff.changes[by_revision ? ChangeKind::kRevised : *kind].push_back(change);
    } else {
      diff.still_failing += GradeOf(change.after) == Grade::kFails;
      diff.still_passing += GradeOf(change.after) == Grade::kPasses;
    }
  }
  return diff;
}

int RunDiff::exit_code() const { return !no_verdict.empty() ? ExitCodeOf(Result::kHarnessError) : worse() ? 1 : 0; }

}  // namespace zerocts
