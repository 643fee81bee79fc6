#include "conformance/session/run/expectations_book.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace zerocts {

std::string ToString(ExpectationState state) {
  switch (state) {
    case ExpectationState::kHeld: return "held";
    case ExpectationState::kStale: return "stale";
    case ExpectationState::kNotJudged: return "not judged";
  }
  throw std::invalid_argument("ExpectationState out of range");
}

ExpectationsBook::ExpectationsBook(ExpectationsFile file, SubjectOfRun subject, bool complete)
    : file_(std::move(file)), subject_(std::move(subject)), complete_(complete) {}

std::vector<const Expectation*> ExpectationsBook::Covering(const std::string& clause,
                                                           const Configuration& configuration) const {
  std::vector<const Expectation*> covering;
  for (const Expectation& e : file_.entries) {
    if (Covers(e, clause, configuration, subject_)) covering.push_back(&e);
  }
  return covering;
}

void ExpectationsBook::Add(const ConfigurationOutcome& outcome) {
  for (const ExpectedFailures& expected : outcome.expected) {
    Seen& seen = seen_[expected.expectation];
    seen.cases += expected.cases;
    seen.shown = seen.shown || expected.shown;
  }
  for (const Unexpected& unexpected : outcome.otherwise) seen_[unexpected.expectation].otherwise = unexpected.what;
}

ExpectationsBook::Entry ExpectationsBook::EntryOf(const Expectation& e) const {
  const auto found = seen_.find(&e);
  const Seen seen = found == seen_.end() ? Seen{} : found->second;
  if (!seen.otherwise.empty()) return {&e, ExpectationState::kStale, seen.otherwise, seen.cases};
  if (seen.shown || seen.cases > 0) return {&e, ExpectationState::kHeld, "", seen.cases};
  if (!IsAboutOptions(e, subject_))
    return {&e, ExpectationState::kNotJudged, "it is about a subject with other options", 0};
  if (complete_) return {&e, ExpectationState::kStale, "it matches nothing: no failure of this run is what it says", 0};
  return {&e, ExpectationState::kNotJudged, "this run leaves out where it holds", 0};
}

std::vector<ExpectationsBook::Entry> ExpectationsBook::Entries() const {
  std::vector<Entry> entries;
  for (const Expectation& e : file_.entries) entries.push_back(EntryOf(e));
  return entries;
}

int64_t ExpectationsBook::Count(ExpectationState state) const {
  return std::ranges::count(Entries(), state, &Entry::state);
}

nlohmann::json RecordOf(const ExpectationsBook::Entry& entry) {
  nlohmann::json record = ToJson(*entry.expectation);
  record["record"] = "expectation";
  record["state"] = ToString(entry.state);
  record["reason"] = entry.reason;
  record["cases"] = entry.cases;
  return record;
}

}  // namespace zerocts
