// C-ZERO-102: with overlap, collectives are under way while forward or backward computes.
#include "conformance/check/costs.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel};
  space.stages = {2, 3};
  space.initial = InitialValues::kModel;
  space.min_steps = 2;
  space.max_steps = 3;
  space.overlap = true;
  space.finish = [](Case& c) {
    c.overlap = Overlap::kOn;
    c.fidelity = Fidelity::kBounded;
    c.observe_timeline = true;
  };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckOverlap(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-102", "CollectivesRunBesideTheModel", Space, Judge);

}  // namespace
}  // namespace zerocts
