// C-ZERO-101: micro-batches before the last move no gradients when ranks meet once per step.
#include <gtest/gtest.h>

#include "conformance/check/costs.hpp"
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-101"};
  space.gradients = {GradientSource::kIndexCoded};
  space.max_steps = 2;
  space.max_micro_batches = 4;
  space.finish = [](Case& c) {
    c.plan.clear();
    c.fidelity = Fidelity::kBounded;
    c.observe_traffic = true;
  };
  space.keep = [](const Case& c) { return c.experiment.micro_batches > 1; };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTraffic(c, ranks)) return finding;
  return AgainstReference(c, ranks);
}

const bool registered = RegisterClauseCheck({"C-ZERO-101", Space, Judge});

TEST(C_ZERO_101, GradientsAreMovedOncePerStep) { CheckClause("C-ZERO-101", Space(), Judge); }

}  // namespace
}  // namespace zerocts
