// What a whole run came to: the words and the exit code of `zerocts check` and `zerocts report`.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "conformance/report/log/result.hpp"
#include "conformance/report/view/profiles.hpp"

namespace zerocts {

struct Verdict {
  std::string text;
  int exit_code = 0;

  bool operator==(const Verdict&) const = default;
};

/// All that a verdict follows from.
struct RunSummary {
  std::map<Result, int64_t> configurations;  // how many ended so
  /// The worst of whole clauses: coverage minimums may be missed though every configuration passed.
  Result worst_clause = Result::kNotApplicable;
  Result worst_group = Result::kNotApplicable;  // of groups of ranks before their first case or after their last
  int64_t exceptions = 0;                       // expected failures that were seen
  int64_t stale = 0;                            // expectations that no longer hold
  std::string partial;                          // "world size 3 only", or ""
  int64_t judged = 0, clauses = 0;              // clauses that were applicable, and all of the suite; 0: not known
  int64_t self_reported = 0;                    // of those judged: rest on self-reported figures alone
  std::vector<ProfileReached> profiles = {};    // none: not known
  std::vector<std::string> required = {};       // profiles without which the run is not conformant
  std::string interrupted = "";                 // by which signal; "": it came to its end
  std::string expected_as = "";                 // the framework whose known failures were excused
};

/// Any finding about the subject makes the run not conformant, whatever else went wrong; a crash, early exit or hang
/// alone has its own exit code, and so has an expectation that no longer holds. So does a profile that is required and
/// not reached in full. An interrupted run has the exit code of its interruption, and says what it found so far.
Verdict VerdictOf(const RunSummary& run);

/// Exit code of one result on its own, for a replayed case.
int ExitCodeOf(Result result);

/// Exit code of several runs together: the gravest, in the order in which VerdictOf takes them.
int GravestExitCode(const std::set<int>& exit_codes);

}  // namespace zerocts
