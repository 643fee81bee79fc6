// C-ZERO-014: in each of several steps an element moves by the code of that step alone.
#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot};
  space.simple_sgd = true;
  space.min_steps = 2;
  space.max_steps = 4;
  space.buckets = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-014", "TheUpdateOfAStepHoldsGradientsOfThatStepOnly", Space, Judge);

}  // namespace
}  // namespace zerocts
