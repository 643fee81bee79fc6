// One case through its judge.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/contract/judge.hpp"
#include "conformance/report/log/result.hpp"

namespace zerocts {

/// A case that did not pass.
struct Failure {
  Case c;
  Result result = Result::kFail;  // or how its run ended; kNotApplicable: nothing was run
  Finding finding;
  std::vector<RankReport> reports;       // of the run that was judged last
  std::set<std::string> drawn_features;  // of the case before it shrank; none: it has the same
};

/// Runs and judges; nothing when the case passes. Throws HarnessError for everything that is not the subject's doing.
std::optional<Failure> Try(const Judge& judge, Trial& trial, const Case& c);

}  // namespace zerocts
