// C-ZERO-001: the ranks' intervals tile every parameter, and each element moves by exactly its own code.
#include "conformance/contract/judging.hpp"
#include "conformance/contract/moves.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.stages = {1, 2, 3};
  space.simple_sgd = true;
  space.finish = [](Case& c) { ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.lr = 1.0f; }); };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  if (auto finding = CheckMoves(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks, {.parameters = false, .gradient = false, .norm = false});
}

const RegisteredClause clause("C-ZERO-001", "EveryElementHasOneOwnerThatUpdatesItOncePerStep", Space, Judge);

}  // namespace
}  // namespace zerocts
