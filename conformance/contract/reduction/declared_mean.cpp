// C-ZERO-010: the update shows the mean over W * K micro-batches, exactly, for every W and K.
#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.simple_sgd = true;
  space.max_micro_batches = 5;
  space.buckets = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-010", "TheOptimizerSeesTheMeanOverAllMicroBatches", Space, Judge);

}  // namespace
}  // namespace zerocts
