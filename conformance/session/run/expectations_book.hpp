// What a run has shown of each expectation, and what follows at its end.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/session/expectations/expectations.hpp"
#include "conformance/session/property/property.hpp"

namespace zerocts {

enum class ExpectationState { kHeld, kStale, kNotJudged };
std::string ToString(ExpectationState state);  // "held", "stale", "not judged"

class ExpectationsBook {
 public:
  ExpectationsBook() = default;
  /// `complete`: the run leaves nothing out, so an entry that is not seen matches nothing.
  ExpectationsBook(ExpectationsFile file, SubjectOfRun subject, bool complete);

  std::vector<const Expectation*> Covering(const std::string& clause, const Configuration& configuration) const;
  void Add(const ConfigurationOutcome& outcome);

  struct Entry {
    const Expectation* expectation;
    ExpectationState state;
    std::string reason;  // why it is stale or not judged
    int64_t cases;       // that failed as it says
  };
  std::vector<Entry> Entries() const;
  int64_t Count(ExpectationState state) const;

  const ExpectationsFile& file() const { return file_; }

 private:
  struct Seen {
    int64_t cases = 0;
    bool shown = false;  // its own case failed as it says
    std::string otherwise;
  };
  Entry EntryOf(const Expectation& expectation) const;

  ExpectationsFile file_;
  SubjectOfRun subject_;
  bool complete_ = false;
  std::map<const Expectation*, Seen> seen_;
};

/// The record of the event log.
nlohmann::json RecordOf(const ExpectationsBook::Entry& entry);

}  // namespace zerocts
