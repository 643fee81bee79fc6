// C-ZERO-017: names of one parameter see one value, one gradient, one update.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.max_steps = 3;
  space.clip = true;
  space.tied = true;
  space.buckets = true;
  return space;
}

const RegisteredClause clause("C-ZERO-017", "TiedNamesAreOneParameter", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
