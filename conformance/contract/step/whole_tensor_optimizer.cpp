// C-ZERO-055: an optimizer that looks at whole tensors gets whole tensors.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kLamb};
  space.initial = InitialValues::kUniform;
  space.max_steps = 4;
  space.mesh = true;
  return space;
}

const RegisteredClause clause("C-ZERO-055", "OneStepLengthPerWholeParameter", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
