// C-ZERO-013: a gradient that some ranks or all do not have is nothing, not something else.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.missing = true;
  space.buckets = true;
  return space;
}

const RegisteredClause clause("C-ZERO-013", "AMissingGradientIsZeroAndOneThatNobodyHasIsNoStep", Space,
                              JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
