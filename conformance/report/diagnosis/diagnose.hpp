// Which known fault explains the failures of a run? Those that it is most like (likeness.hpp) are named, and beside
// them failing clauses that none of these explains: there may be a fault that nobody planted.
#pragma once
#include <vector>

#include "conformance/report/diagnosis/likeness.hpp"
#include "conformance/report/view/diagnosis.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {

inline constexpr size_t kMostAnswers = 3;      // candidates, and clauses of what may be none of them
inline constexpr size_t kMostAlso = 2;         // of one candidate
inline constexpr double kLeastLikeness = 0.1;  // below, nothing known is like it
inline constexpr double kLeastOfBest = 0.4;    // of the likeness of the best

/// What the failures of the run are like. Nothing where nothing failed. Candidates are of different kinds: no two have
/// a clause in common that must find them. Where there are fewer than kMostAnswers, failing clauses of no candidate
/// follow as `unlike`, the least explained first; where that is the least explained of all that fail, it takes the
/// place of a third candidate.
///
/// Specific are the clauses with a failure that the shared factor alone explains, then those that must find the first
/// candidate, then those that fewer known faults break.
Diagnosis Diagnose(const RunView& view, const std::vector<KnownFault>& known);

}  // namespace zerocts
