// C-ZERO-024: parameters of several dtypes in one model keep theirs.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.max_steps = 3;
  space.mixed_precisions = true;
  space.buckets = true;
  return space;
}

const RegisteredClause clause("C-ZERO-024", "EveryParameterKeepsItsOwnDtype", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
