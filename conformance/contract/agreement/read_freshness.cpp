// C-ZERO-061: reads in any order, repeated, directly after and directly before a step show the parameters of the last
// finished step.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.min_steps = 2;
  space.max_steps = 4;
  space.buckets = true;
  space.reads = true;
  space.finish = [](Case& c) { c.observe_states = false; };  // nothing between the step and the read
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) {
  return AgainstReference(stratum, c, Observe(stratum, c), {.states = false});
}

const RegisteredClause clause("C-ZERO-061", "AReadShowsTheParametersOfTheLastFinishedStep", Space, Judge);

}  // namespace
}  // namespace zerocts
