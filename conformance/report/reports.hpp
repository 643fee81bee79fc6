// What is made of a run's log for people and for CI.
#pragma once
#include <string>

#include "conformance/report/run_view.hpp"

namespace zerocts {

/// JUnit: one testsuite per clause, one testcase per stratum; failure, error (harness, crash, hang) and skipped are
/// kept apart.
std::string JUnitOf(const RunView& view);

/// CTRF (ctrf.io): the same test cases as JSON, for dashboards and bots that read it.
std::string CtrfOf(const RunView& view);

/// What shields.io makes a badge of: subject and verdict.
std::string BadgeOf(const RunView& view);

/// How much a report for people says.
enum class Detail {
  kSummary,  // families x world sizes; a failure of each clause; of long lists what concerns most clauses
  kAll,      // clauses x world sizes; every failure and every list whole
};

/// For terminals and logs: the verdict, the failures, the table with a legend, what was not judged. `color`: with
/// escapes.
std::string TableOf(const RunView& view, bool color, Detail detail = Detail::kSummary);

struct RunDiff;
/// One page that needs nothing but itself; `since`: what changed since an earlier run, where there is one.
std::string HtmlOf(const RunView& view, const RunDiff* since = nullptr);

}  // namespace zerocts
