// A trial on the ranks of a stratum.
#pragma once
#include <functional>

#include "conformance/contract/trial.hpp"
#include "conformance/session/stratum/strata.hpp"

namespace zerocts {

/// Runs one case somewhere: on groups of ranks, or in place of them in tests of the suite itself.
using Runner = std::function<RunResult(const Stratum& stratum, const Case& c)>;

/// What it refers to must outlive it.
class StratumTrial final : public Trial {
 public:
  StratumTrial(const Runner& run, const Stratum& stratum, const Capabilities& can)
      : run_(run), stratum_(stratum), can_(can) {}

  const Capabilities& can() const override { return can_; }

 private:
  RunResult RunOnRanks(const Case& c) override { return run_(stratum_, c); }

  const Runner& run_;
  const Stratum& stratum_;
  const Capabilities& can_;
};

}  // namespace zerocts
