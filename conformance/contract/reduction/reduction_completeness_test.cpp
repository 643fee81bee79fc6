// C-ZERO-011: each element's only contribution, from one micro-batch of one rank, arrives exactly once.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-011"};
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

const bool registered = RegisterClauseCheck({"C-ZERO-011", Space, Judge});

TEST(C_ZERO_011, EveryGradientIsReducedExactlyOnceWhateverTheBuckets) { CheckClause("C-ZERO-011", Space(), Judge); }

}  // namespace
}  // namespace zerocts
