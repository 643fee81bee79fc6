// C-ZERO-054: a frozen parameter stands still, moments and decay included, and goes on when it is thawed.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.min_steps = 3;
  space.max_steps = 5;
  space.frozen = true;
  space.clip = true;
  return space;
}

const RegisteredClause clause("C-ZERO-054", "FrozenParametersStandStill", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
