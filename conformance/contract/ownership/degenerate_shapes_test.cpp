// C-ZERO-004: empty, tiny and dimensionless parameters, empty groups and ranks that own nothing train like any other.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-004", .shapes = ShapeStyle::kDegenerate};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.max_steps = 2;
  space.clip = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-004", Space, JudgeAgainstReference});

TEST(C_ZERO_004, DegenerateShapesTrainLikeAnyOther) { CheckClause("C-ZERO-004", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
