// C-ZERO-061: reads in any order, repeated, directly after and directly before a step show the parameters of the last
// finished step.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-061"};
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

const bool registered = RegisterClauseCheck({"C-ZERO-061", Space, Judge});

TEST(C_ZERO_061, AReadShowsTheParametersOfTheLastFinishedStep) { CheckClause("C-ZERO-061", Space(), Judge); }

}  // namespace
}  // namespace zerocts
