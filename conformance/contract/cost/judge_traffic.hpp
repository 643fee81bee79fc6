// What the clauses about traffic have in common.
#pragma once
#include "conformance/check/costs.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {

/// Every step moves no more than its bound, and its result is right: who moves nothing would be within every bound.
inline std::optional<Finding> JudgeTraffic(Trial& trial, const Case& c) {
  const Observations ranks = trial.Observe(c);
  const Capabilities& can = trial.can();
  if (auto finding = CheckTraffic(c, ranks, {can.granularity, can.parameters_per_unit})) return finding;
  return AgainstReference(trial, c, ranks);
}

}  // namespace zerocts
