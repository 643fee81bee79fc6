// C-ZERO-064: buffers keep their values and their dtype on every rank.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.max_steps = 3;
  space.buffers = true;
  space.mixed_precisions = true;
  space.mesh = true;
  return space;
}

const RegisteredClause clause("C-ZERO-064", "BuffersStayWhatTheyAre", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
