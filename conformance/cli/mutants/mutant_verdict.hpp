// Was a known fault found? Answered from what `zerocts check` logged about it, once per seed.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "conformance/cli/installed.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// What one run proves about its subject.
struct RunEvidence {
  std::string problem;  // why it proves nothing (an error of the harness, no cases, a broken log); "" when it does
  std::vector<std::string> complaints;  // clauses that the subject broke, crashes and hangs included
};
RunEvidence EvidenceOf(const RunView& run);

/// All seeds of one mutant together, or of one benign variant: a change that is allowed, or no change at all.
struct MutantVerdict {
  InstalledMutant mutant;
  int seeds = 0;
  std::map<std::string, int> complaints;  // clause -> under how many seeds it complained
  std::vector<std::string> problems;      // of seeds that prove nothing

  int ComplaintsOf(const std::string& clause) const;
  /// A mutant: every clause that it names complained under every seed. Benign: no clause complained under any seed.
  bool AsItMustBe() const;
};
MutantVerdict VerdictOf(const InstalledMutant& mutant, const std::vector<RunEvidence>& seeds);

/// 0 all as they must be; 1 a mutant survived or a benign variant raised a false alarm; 3 some run proves nothing.
int ExitCodeOf(const std::vector<MutantVerdict>& verdicts);

/// One line per mutant and named clause: "killed 5/5", "SURVIVED 3/5", "passed 5", "FALSE ALARM"; then the sum of it.
std::string TableOf(const std::vector<MutantVerdict>& verdicts);
/// Mutants x clauses: under how many seeds each clause complained, the named ones in brackets.
std::string MatrixOf(const std::vector<MutantVerdict>& verdicts, const std::vector<std::string>& clauses);

}  // namespace zerocts
