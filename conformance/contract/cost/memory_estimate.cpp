// C-ZERO-103: what a rank holds is what it estimated.
#include "conformance/check/costs.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kIndexCoded};
  space.max_steps = 3;
  space.max_micro_batches = 3;
  space.sync_each = true;
  space.mesh = true;
  space.offload = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
    c.fidelity = Fidelity::kBounded;
    c.observe_memory = c.observe_memory_estimate = true;
  };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckMemoryEstimate(c, ranks)) return finding;
  return AgainstReference(stratum, c, ranks);
}

const RegisteredClause clause("C-ZERO-103", "RanksHoldWhatTheyEstimated", Space, Judge);

}  // namespace
}  // namespace zerocts
