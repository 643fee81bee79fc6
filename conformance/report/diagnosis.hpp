// What the failures of a run are like: known faults that look the same. Made by diagnose.hpp, kept in the log.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace zerocts {

/// A known fault that the run may have.
struct Candidate {
  std::string id, title;          // "M20", "the sum of the gradients is taken for their mean"
  double likeness = 0;            // 0 to 1
  std::vector<std::string> fits;  // what they have in common, the most telling first, at most four
};

struct Diagnosis {
  std::vector<Candidate> candidates;  // at most three, the most alike first
  std::vector<std::string> order;     // clauses that fail, the most specific first
};

nlohmann::json ToJson(const Diagnosis& diagnosis);
Diagnosis DiagnosisFromJson(const nlohmann::json& value);  // throws a json exception

/// "as M20: the sum .." of each, and what fits; "" where there is no candidate.
std::string DiagnosisText(const Diagnosis& diagnosis);

}  // namespace zerocts
