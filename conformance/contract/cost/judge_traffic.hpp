// What the clauses about traffic have in common.
#pragma once
#include "conformance/check/cost/traffic.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {

/// Every step moves what it has to and no more than its bound, and its result is right.
inline std::optional<Finding> JudgeTraffic(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  const Capabilities& can = trial.can();
  if (auto finding = CheckTraffic(c, ranks, {can.granularity, can.parameters_per_unit}, trial.evidence()))
    return finding;
  return AgainstReference(trial, c, ranks);
}

}  // namespace zerocts
