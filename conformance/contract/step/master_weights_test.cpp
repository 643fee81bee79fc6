// C-ZERO-056: updates too small for bf16 add up in the master weights.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-056"};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdam};
  space.initial = InitialValues::kUniform;
  space.min_steps = 8;
  space.max_steps = 12;
  space.max_micro_batches = 1;
  space.finish = [](Case& c) {
    ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.lr /= 1024; });
  };
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-056", Space, JudgeAgainstReference});

TEST(C_ZERO_056, SmallUpdatesAddUp) { CheckClause("C-ZERO-056", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
