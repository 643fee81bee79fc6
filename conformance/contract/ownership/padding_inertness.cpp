// C-ZERO-003: fresh memory full of NaN and fresh memory full of zeros give the same bits.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.stages = {1, 2, 3};
  space.max_steps = 2;
  space.clip = true;
  space.buckets = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  Case poisoned = c, zeroed = c;
  poisoned.poison_memory = true;
  zeroed.poison_memory = false;
  const Observations with_nan = Observe(stratum, poisoned);
  if (auto finding = AgainstReference(stratum, poisoned, with_nan)) return finding;
  return CompareRuns(poisoned, with_nan, zeroed, Observe(stratum, zeroed), "what fresh memory holds, NaN or zeros");
}

const RegisteredClause clause("C-ZERO-003", "WhatLiesInPaddingAndFreshMemoryReachesNoResult", Space, Judge);

}  // namespace
}  // namespace zerocts
