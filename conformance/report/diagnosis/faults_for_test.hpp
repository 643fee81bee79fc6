// Runs with failures, and known faults that look like some of them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "conformance/report/diagnosis/likeness.hpp"
#include "conformance/report/log/test_records.hpp"

namespace zerocts {

inline nlohmann::json Failure(const std::string& clause, const std::string& sentence, int world_size = 3) {
  nlohmann::json failure = FailureRecord(clause, world_size);
  failure["sentence"] = sentence;
  failure["first_difference"] = FirstDifference("6 x expected (W * K): a sum?");
  return failure;
}

/// Each clause with its failure; a clause without a sentence passes.
inline RunView RunOf(const std::vector<std::pair<std::string, std::string>>& clauses) {
  Records records = {RunRecord()};
  for (const auto& [clause, sentence] : clauses) {
    records.push_back(StartRecord(clause, "name"));
    const char* result = sentence.empty() ? "pass" : "fail";
    records.push_back(ConfigurationRecord(clause, 1, "pass"));
    records.push_back(ConfigurationRecord(clause, 3, result));
    if (!sentence.empty()) records.push_back(Failure(clause, sentence));
    records.push_back(EndRecord(clause, result));
  }
  return ViewOf(records);
}

inline constexpr const char* kSum =
    "step 0: element 3 of p0 moved by its own gradient times W * K: a sum instead of the mean";
inline constexpr const char* kStale = "step 1: rank 2 reads p1 as it was before the step";

inline std::vector<KnownFault> Known() {
  return {{"M20",
           "a sum for the mean",
           {"C-ZERO-010"},
           SymptomsOf(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}}))},
          {"M30", "a stale read", {"C-ZERO-061"}, SymptomsOf(RunOf({{"C-ZERO-050", kStale}, {"C-ZERO-061", kStale}}))}};
}

}  // namespace zerocts
