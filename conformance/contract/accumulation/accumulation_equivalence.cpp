// C-ZERO-020: every micro-batch of every window is in the update of its own window, once.
#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kOneHot, GradientSource::kIndexCoded};
  space.simple_sgd = true;
  space.min_steps = 3;
  space.max_steps = 4;
  space.max_micro_batches = 4;
  space.sync_each = true;
  space.offload = true;
  space.buckets = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-020", "EveryMicroBatchIsInItsOwnWindowOnce", Space, Judge);

}  // namespace
}  // namespace zerocts
