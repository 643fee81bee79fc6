// What the failures of a run have in common, and known faults that look the same. Made by diagnose.hpp, kept in the
// log.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace zerocts {

/// A known fault that the run may have.
struct Candidate {
  std::string id, title;          // "M20", "the sum of the gradients is used as their mean"
  double likeness = 0;            // 0 to 1
  std::vector<std::string> fits;  // what the run has in common with it
  std::vector<std::string> also;  // ids of less likely ones that the same clauses must find
};

/// What several clauses say of their failures, or what these have in common.
struct SharedNote {
  std::string text;     // "wrong by W * K: a sum instead of the mean", "every failing case has zero_numel: .."
  int64_t clauses = 0;  // that say it
};

struct Diagnosis {
  int64_t failing = 0;                // clauses
  std::vector<SharedNote> notes;      // the factor, and the note, that most of them have; a feature of all cases
  std::vector<Candidate> candidates;  // at most three, of other clauses each, the most alike first
  std::vector<std::string> unlike;    // clauses of what may be none of them, the least explained first
  std::vector<std::string> order;     // clauses that fail, the most specific first
};

nlohmann::json ToJson(const Diagnosis& diagnosis);
Diagnosis DiagnosisFromJson(const nlohmann::json& value);  // throws a json exception

/// "a fault that C-ZERO-083 is about and no known one is like"
std::string UnlikeText(const Diagnosis& diagnosis);

/// The likeness under which a candidate is called a guess.
inline constexpr double kSurelyAlike = 0.6;

/// The notes, then each candidate with what it has in common with the run, then the clause of what is none of them; ""
/// where there is nothing of it.
std::string DiagnosisText(const Diagnosis& diagnosis);

/// The best of it in a line or two: "Diagnosis: 15 of 16 failing clauses: ..".
std::string DiagnosisLine(const Diagnosis& diagnosis);

}  // namespace zerocts
