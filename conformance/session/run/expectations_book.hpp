// What a run has shown of each expectation, and what follows at its end.
#pragma once
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/cases/case/counted.hpp"
#include "conformance/session/expectations/expectations.hpp"
#include "conformance/session/property/property.hpp"

namespace zerocts {

enum class ExpectationState { kHeld, kStale, kNotJudged };
inline std::string ToString(ExpectationState state) {
  switch (state) {
    case ExpectationState::kHeld: return "held";
    case ExpectationState::kStale: return "stale";
    case ExpectationState::kNotJudged: return "not judged";
  }
  throw std::invalid_argument("ExpectationState out of range");
}

class ExpectationsBook {
 public:
  ExpectationsBook() = default;
  /// `complete`: the run leaves nothing out, so an entry that is not seen matches nothing.
  ExpectationsBook(ExpectationsFile file, SubjectOfRun subject, bool complete)
      : file_(std::move(file)), subject_(std::move(subject)), complete_(complete) {}

  std::vector<const Expectation*> Covering(const std::string& clause, const Configuration& configuration) const {
    std::vector<const Expectation*> covering;
    for (const Expectation& e : file_.entries) {
      if (Covers(e, clause, configuration, subject_)) covering.push_back(&e);
    }
    return covering;
  }
  /// The run ended before all was judged: what it has not seen may still hold.
  void EndEarly() { complete_ = false; }
  void Add(const ConfigurationOutcome& outcome) {
    for (const ExpectedFailures& expected : outcome.expected) {
      Seen& seen = seen_[expected.expectation];
      seen.cases += expected.cases;
      seen.shown = seen.shown || expected.shown;
    }
    for (const Unexpected& unexpected : outcome.otherwise) seen_[unexpected.expectation].otherwise = unexpected.what;
  }

  struct Entry {
    const Expectation* expectation;
    ExpectationState state;
    std::string reason;  // why it is stale or not judged
    int64_t cases;       // that failed as it says
  };
  std::vector<Entry> Entries() const {
    std::vector<Entry> entries;
    for (const Expectation& e : file_.entries) entries.push_back(EntryOf(e));
    return entries;
  }

  const ExpectationsFile& file() const { return file_; }

 private:
  struct Seen {
    int64_t cases = 0;
    bool shown = false;  // its own case failed as it says
    std::string otherwise;
  };
  Entry EntryOf(const Expectation& e) const {
    const auto found = seen_.find(&e);
    const Seen seen = found == seen_.end() ? Seen{} : found->second;
    if (!seen.otherwise.empty()) return {&e, ExpectationState::kStale, seen.otherwise, seen.cases};
    if (seen.shown || seen.cases > 0) return {&e, ExpectationState::kHeld, "", seen.cases};
    if (!IsAboutOptions(e, subject_))
      return {&e, ExpectationState::kNotJudged, "it is about a subject with other options", 0};
    if (complete_)
      return {&e, ExpectationState::kStale, "it matches nothing: no failure of this run is what it says", 0};
    return {&e, ExpectationState::kNotJudged, WhereItsCaseRuns(e), 0};
  }

  /// "its case has 1 rank in fp32, and no such case of C-ZERO-052 ran"
  static std::string WhereItsCaseRuns(const Expectation& e) {
    return fmt::format("its case has {} in {}, and no such case of {} ran", Counted(e.shown_by.world_size(), "rank"),
                       ToString(e.shown_by.experiment.precision), e.clause);
  }

  ExpectationsFile file_;
  SubjectOfRun subject_;
  bool complete_ = false;
  std::map<const Expectation*, Seen> seen_;
};

/// The record of the event log.
inline nlohmann::json RecordOf(const ExpectationsBook::Entry& entry) {
  nlohmann::json record = ToJson(*entry.expectation);
  record["record"] = "expectation";
  record["state"] = ToString(entry.state);
  record["reason"] = entry.reason;
  record["cases"] = entry.cases;
  return record;
}

}  // namespace zerocts
