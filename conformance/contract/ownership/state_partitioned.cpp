// C-ZERO-007: no rank holds more than its share of the optimizer state, and none says less than it holds.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.shapes = ShapeStyle::kLarge};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.stages = {1, 2, 3};
  space.max_steps = 1;
  space.max_micro_batches = 1;
  space.finish = [](Case& c) {
    c.fidelity = Fidelity::kBounded;
    c.plan.clear();  // the subject's own: plans by parameter or block promise no share to the byte
    c.observe_parameters = c.observe_states = c.observe_gradient = false;
    c.observe_memory = true;
  };
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  const Observations ranks = Observe(stratum, c);
  if (auto finding = CheckTiling(c, ranks)) return finding;
  const Capabilities& can = Session::Get().capabilities();
  return CheckMemory(c, ranks, {can.optimizer_slack_bytes, can.granularity});
}

const RegisteredClause clause("C-ZERO-007", "ARankHoldsItsShareOfTheOptimizerStateAndSaysSo", Space, Judge);

}  // namespace
}  // namespace zerocts
