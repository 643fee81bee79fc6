// Which known fault explains the failures of a run? The run is compared with the mutants, each of which has one fault
// and was once judged by all clauses (contract/known_faults.json).
//
// The likeness of two sets of symptoms A and B is a weighted Jaccard index,
//
//     sum of w(s) over s in both  /  sum of w(s) over s in one or both,
//
// in which a symptom weighs the more the fewer known faults have it: w(s) = log((N + 1) / n(s)) for n(s) of N faults,
// and that of one fault where none has it. What a clause says, and in which phase, counts a second time without the
// clause: so words that several clauses have in common are pooled, and a fault is recognized by other clauses than
// those it was known by. Symptoms of clauses that were not judged in both runs do not count.
//
// A fault whose own clauses, which must find it, were asked and did not fail is unlikely: it is kOwnClausesPassed as
// much alike. So is one that most clauses find wrong by another factor than this run, or by one where the run has none:
// kOtherFactors.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "conformance/report/diagnosis.hpp"
#include "conformance/report/run_view.hpp"
#include "conformance/report/symptoms.hpp"

namespace zerocts {

/// A mutant, and what the suite saw of it.
struct KnownFault {
  std::string id, title;             // "M20", "the sum of the gradients is taken for their mean"
  std::vector<std::string> clauses;  // that must find it
  Symptoms symptoms;
  std::set<std::string> judged;  // clauses that came to an answer where it was seen; none: it is not known
};

/// Clauses that came to an answer.
std::set<std::string> JudgedIn(const RunView& view);

inline constexpr size_t kMostCandidates = 3;
inline constexpr size_t kMostAlso = 2;         // of one candidate
inline constexpr double kLeastLikeness = 0.1;  // below, nothing known is like it
inline constexpr double kLeastOfBest = 0.4;    // of the likeness of the best
inline constexpr double kOwnClausesPassed = 0.2;
inline constexpr double kOtherFactors = 0.5;

/// A run whose failing clause that the fewest known faults break is that of no candidate may have a fault that nobody
/// planted: that clause is named as `unlike`, in place of a third candidate.
///
/// What the failures of the run are like. Nothing where nothing failed. Specific are the clauses with a failure that
/// the shared factor alone explains, then those that must find the first candidate, then those that fewer known faults
/// break.
Diagnosis Diagnose(const RunView& view, const std::vector<KnownFault>& known);

}  // namespace zerocts
