// C-ZERO-011: each element's only contribution, from one micro-batch of one rank, arrives exactly once.
#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kOneHot};
  space.simple_sgd = true;
  space.buckets = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-011", "EveryGradientIsReducedExactlyOnceWhateverTheBuckets", Space, Judge);

}  // namespace
}  // namespace zerocts
