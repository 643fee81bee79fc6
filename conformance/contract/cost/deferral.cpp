// C-ZERO-101: micro-batches before the last move no gradients when ranks meet once per step.
#include "conformance/contract/cost/judge_traffic.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
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

const RegisteredClause clause("C-ZERO-101", "GradientsAreMovedOncePerStep", Space, JudgeTraffic);

}  // namespace
}  // namespace zerocts
