// What a clause comes to. The run that writes the records and the report that reads them ask the same functions.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/log/result.hpp"

namespace zerocts {

/// A feature and how many of a clause's cases had it.
struct CoverageMinimum {
  std::string feature;
  int64_t count = 0, needed = 0;
};

/// The features that too few cases had, from a clause_end record.
std::vector<CoverageMinimum> MissedMinimums(const nlohmann::json& clause_end);

/// The number of cases that had all that is essential to the clause, from a clause_end record; none where the log does
/// not say.
std::optional<int64_t> AskedCases(const nlohmann::json& clause_end);

/// Whether a configuration's cases rest on figures, and all of these are self-reported.
bool IsOnlySelfReported(const nlohmann::json& configuration);

/// What a configuration record proves: its own word, but a pass without a case is too few, and one that rests on
/// self-reported figures alone is self-reported.
Result ResultOfConfiguration(const nlohmann::json& configuration);

/// Whether a failure ends its configuration. After the others it goes on, for other cases may still show values. A hang
/// is too expensive, and after garbage nothing of the subject can be believed.
bool EndsConfiguration(Result failure);

/// What stands where one configuration showed both: what ended it before what it went on after. So a wrong value stands
/// before runs that gave none, for the subject can mend it first. Else the worse one.
Result WorstInConfiguration(Result a, Result b);

/// The worst of the configurations; too few, if they show nothing worse, where none ran, where a coverage minimum was
/// missed, or where they passed without being asked.
Result ResultOfClause(const std::vector<Result>& configurations, const std::vector<CoverageMinimum>& missed_minimums,
                      std::optional<int64_t> asked_cases);

}  // namespace zerocts
