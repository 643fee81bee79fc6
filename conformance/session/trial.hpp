// One case through its judge.
#pragma once
#include <optional>
#include <vector>

#include "conformance/report/result.hpp"
#include "conformance/session/session.hpp"

namespace zerocts {

/// What a run that ended so comes to when nothing else is judged.
Result ResultOf(Ending ending);

/// A case that did not pass.
struct Failure {
  Case c;
  Result result = Result::kFail;  // or how its run ended; kUnsupported: nothing was run
  Finding finding;
  std::vector<RankReport> reports;  // of the run that was judged last
};

/// Runs and judges; nothing when the case passes. Needs the open session. Throws HarnessError for everything that is
/// not the subject's doing.
std::optional<Failure> Try(const Judge& judge, const Stratum& stratum, const Case& c);

}  // namespace zerocts
