// C-ZERO-023: gradients are rounded to the declared dtype where it is declared, and nowhere else.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.bf16_sums = true;
  space.mesh = true;
  return space;
}

const RegisteredClause clause("C-ZERO-023", "GradientsTravelInTheDeclaredDtype", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
