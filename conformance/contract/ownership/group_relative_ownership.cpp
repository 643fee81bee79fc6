// C-ZERO-002: on a mesh, who owns what follows from a rank's place in its sharding group.
#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.stages = {1, 2, 3};
  space.simple_sgd = true;
  space.mesh = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-002", "OwnersFollowFromThePlaceInTheShardingGroup", Space, Judge);

}  // namespace
}  // namespace zerocts
