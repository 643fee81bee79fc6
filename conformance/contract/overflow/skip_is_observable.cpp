// C-ZERO-043: a skipped step says that it was skipped.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.loss_scaling = true;
  space.min_steps = 2;
  space.max_steps = 4;
  space.buckets = true;
  space.offload = true;
  space.keep = [](const Case& c) { return c.experiment.loss_scaling.kind != LossScaleKind::kNone; };
  return space;
}

const RegisteredClause clause("C-ZERO-043", "ASkippedStepSaysSo", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
