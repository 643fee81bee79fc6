// C-ZERO-072: all ranks make the same collectives in the same order, whatever gradients they have.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
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

const RegisteredClause clause("C-ZERO-072", "RanksMakeTheSameCollectivesInTheSameOrder", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
