// C-ZERO-022: reducing after each micro-batch or after the last gives the same.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.max_micro_batches = 4;
  space.sync_each = true;
  space.clip = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = AgainstReference(stratum, c, ranks)) return finding;
  if (Session::Get().capabilities().gradient_sync.size() < 2) return std::nullopt;
  Case other = c;
  other.gradient_sync = c.gradient_sync == GradientSync::kEach ? GradientSync::kLast : GradientSync::kEach;
  return CompareRuns(c, ranks, other, Observe(stratum, other), "when ranks reduce, after each micro-batch or the last");
}

const RegisteredClause clause("C-ZERO-022", "WhenRanksReduceCannotBeSeen", Space, Judge);

}  // namespace
}  // namespace zerocts
