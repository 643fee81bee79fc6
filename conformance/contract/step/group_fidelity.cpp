// C-ZERO-053: every parameter is updated with its own group's hyper-parameters.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.max_groups = 4;
  space.max_steps = 3;
  space.optimizer_variants = true;
  space.buckets = true;
  return space;
}

const RegisteredClause clause("C-ZERO-053", "EveryParameterHasTheHyperParametersOfItsGroup", Space,
                              JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
