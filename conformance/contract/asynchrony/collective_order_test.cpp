// C-ZERO-072: all ranks make the same collectives in the same order, whatever gradients they have.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-072"};
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.shapes = ShapeStyle::kDegenerate;
  space.missing = true;
  space.frozen = true;
  space.overlap = true;
  space.buckets = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-072", Space, JudgeAgainstReference});

TEST(C_ZERO_072, RanksMakeTheSameCollectivesInTheSameOrder) {
  CheckClause("C-ZERO-072", Space(), JudgeAgainstReference);
}

}  // namespace
}  // namespace zerocts
