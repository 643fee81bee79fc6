#include "conformance/report/view/run_diff.hpp"

#include <fmt/format.h>

#include <cctype>

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
  for (const std::vector<json>* failures : {&configuration.failures, &configuration.expected}) {
    if (!failures->empty()) return failures->front().value("sentence", "");
  }
  return configuration.reason;
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

/// Without its numbers: another case of the same fault has others.
std::string WordsAlone(const std::string& sentence) {
  std::string words;
  for (const char c : sentence) {
    if (!std::isdigit(static_cast<unsigned char>(c))) words += c;
  }
  return words;
}

/// `sentence`: of its failure in the earlier run.
std::optional<ChangeKind> KindOf(const Change& change, const std::string& sentence) {
  const Grade before = GradeOf(change.before), after = GradeOf(change.after);
  if (before == after) {
    const bool fails = after == Grade::kFails || after == Grade::kKnownToFail;
    const bool alike = change.before == change.after && WordsAlone(sentence) == WordsAlone(change.sentence);
    return fails && !alike ? std::optional(ChangeKind::kOther) : std::nullopt;
  }
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

/// Adds what is different of two values of this name.
void AddChanges(const std::string& name, const json& a, const json& b, ChangedValues& values) {
  if (a == b) return;
  if (a.is_null()) {
    values.added.push_back(fmt::format("{} = {}", name, Shown(b)));
  } else if (b.is_null()) {
    values.removed.push_back(name);
  } else if (!a.is_object() || !b.is_object()) {
    values.changed.push_back(fmt::format("{}: {}, then {}", name, Shown(a), Shown(b)));
  } else {
    json keys = a;
    keys.update(b);
    for (const auto& [key, unused] : keys.items())
      AddChanges(name.empty() ? key : name + "." + key, a.value(key, json()), b.value(key, json()), values);
  }
}

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

json CapabilitiesOf(const RunView& view) {
  if (!view.run.is_object()) return json::object();
  return view.run.value("subject", json::object()).value("capabilities", json::object());
}

}  // namespace

void ChangedValues::Add(const json& before, const json& after) { AddChanges("", before, after, *this); }

RunDiff DiffOf(const RunView& before, const RunView& after) {
  RunDiff diff{.before = Who(before), .after = Who(after), .conditions = DifferentConditions(before, after)};
  diff.declared.Add(CapabilitiesOf(before), CapabilitiesOf(after));
  for (const RunView* view : {&before, &after}) {
    if (!view->Objection().empty())
      diff.no_verdict.push_back(fmt::format("{} run: {}", view == &before ? "earlier" : "later", view->Objection()));
  }
  std::map<RunPart, Change> all;
  std::map<RunPart, std::string> earlier_sentences;
  const auto change_at = [&](const RunPart& part, const PartResult& outcome) -> Change& {
    Change& change = all[part];
    change.part = part, change.name = outcome.name;
    return change;
  };
  for (const auto& [part, outcome] : ResultsOfParts(before)) {
    change_at(part, outcome).before = outcome.result;
    earlier_sentences[part] = outcome.sentence;
  }
  for (const auto& [part, outcome] : ResultsOfParts(after)) {
    Change& change = change_at(part, outcome);
    change.after = outcome.result, change.sentence = outcome.sentence;
  }
  const std::map<std::string, std::string> revised = OtherRevisions(before, after);
  for (const auto& [clause, text] : revised) diff.revisions.push_back(text);
  for (const auto& [part, change] : all) {
    const std::optional<ChangeKind> kind = KindOf(change, earlier_sentences[part]);
    if (kind) {
      const bool by_revision = IsWorse(*kind) && revised.contains(part.what);
      diff.changes[by_revision ? ChangeKind::kRevised : *kind].push_back(change);
    }
    if (!kind || kind == ChangeKind::kOther) {
      diff.still_failing += GradeOf(change.after) == Grade::kFails;
      diff.still_passing += GradeOf(change.after) == Grade::kPasses;
    }
  }
  return diff;
}

namespace {

/// For programs: does not change.
const char* KeyOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kNewlyFailing: return "newly_failing";
    case ChangeKind::kLost: return "lost";
    case ChangeKind::kNewlyPassing: return "newly_passing";
    case ChangeKind::kNew: return "new";
    case ChangeKind::kRevised: return "revised";
    case ChangeKind::kOther: return "failing_otherwise";
  }
  return "changed";
}

}  // namespace

json ToJson(const RunDiff& diff) {
  const auto word = [](std::optional<Result> result) { return result ? json(ToString(*result)) : json(); };
  json changes = json::object();
  for (const auto& [kind, all] : diff.changes) {
    for (const Change& change : all)
      changes[KeyOf(kind)].push_back({{"what", change.part.what},
                                      {"where", change.part.where},
                                      {"before", word(change.before)},
                                      {"after", word(change.after)},
                                      {"sentence", change.sentence}});
  }
  const ChangedValues& declared = diff.declared;
  return {{"before", diff.before},
          {"after", diff.after},
          {"remarks", diff.remarks},
          {"exit_code", diff.exit_code()},
          {"conditions", diff.conditions},
          {"revisions", diff.revisions},
          {"no_verdict", diff.no_verdict},
          {"declared", {{"changed", declared.changed}, {"added", declared.added}, {"removed", declared.removed}}},
          {"changes", changes}};
}

int RunDiff::exit_code() const { return !no_verdict.empty() ? ExitCodeOf(Result::kHarnessError) : worse() ? 1 : 0; }

}  // namespace zerocts
