// C-ZERO-016: how ranks are divided into replicas and shards cannot be seen where sums are exact.
#include <fmt/format.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.stages = {1, 2, 3};
  space.mesh = true;
  space.sync_each = true;
  space.clip = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = AgainstReference(stratum, c, ranks)) return finding;
  for (int replicas = 1; replicas <= c.world_size(); ++replicas) {
    if (c.world_size() % replicas != 0 || replicas == c.replicas || !Session::Get().capabilities().replicas) continue;
    Case other = c;
    other.replicas = replicas;
    const Observations others = Observe(stratum, other);
    if (auto finding = CompareRuns(c, ranks, other, others, fmt::format("the mesh, {} replicas", replicas)))
      return finding;
  }
  return std::nullopt;
}

const RegisteredClause clause("C-ZERO-016", "AnyMeshOfTheSameRanksGivesTheSame", Space, Judge);

}  // namespace
}  // namespace zerocts
