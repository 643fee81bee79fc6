// The verdict of a run in words, and the figures that stand behind it: the same in every report for people.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// "conformant with 2 exceptions: 13 of 66 clauses, for 1 to 4 ranks of 64 declared, stage 1, fp32, without
/// accumulation; partial: ..", "not conformant: 3 of 13 clauses failed", or "no verdict: the run was cut off ..".
std::string VerdictSentence(const RunView& view);

/// "56 clauses judged, 1 not applicable, 2 self-reported, 5600 cases; configurations: 16 not applicable, 880 pass, 896
/// planned"
std::string FiguresOf(const RunView& view);

/// {in full, "in full: zero-1"}, {in part, "in part: zero-2 (5 of 11)"}, ..: what was reached, the best first.
std::vector<std::pair<Reach, std::string>> ProfilesByReach(const RunView& view);

/// "profiles in full: zero-1; self-reported: cost (C-ZERO-100); in part: zero-2 (5 of 11); not claimed: reshard"; ""
/// where the log does not say.
std::string ProfilesOf(const RunView& view);

/// "pairs of stage, plan, precision and mesh: 117 of 118 drawn; not stage 3 + mesh 2 x 2; of the values of all
/// dimensions, clause by clause: 812 of 940"; "" where the log does not say.
std::string PairsOf(const RunView& view);

}  // namespace zerocts
