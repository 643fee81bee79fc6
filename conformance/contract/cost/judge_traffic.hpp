// What the clauses about traffic have in common.
#pragma once
#include "conformance/check/costs.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {

/// Every step moves no more than its bound, and its result is right: who moves nothing would be within every bound.
inline std::optional<Finding> JudgeTraffic(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  const Capabilities& can = Session::Get().capabilities();
  if (auto finding = CheckTraffic(c, ranks, {can.granularity, can.parameters_per_unit})) return finding;
  return AgainstReference(stratum, c, ranks);
}

}  // namespace zerocts
