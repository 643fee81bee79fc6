// C-ZERO-034: norm and clipping see gradients divided by the scale of this very step.
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
  space.max_steps = 6;
  space.clip = true;
  space.keep = [](const Case& c) {
    return c.experiment.max_norm > 0 && c.experiment.loss_scaling.kind != LossScaleKind::kNone;
  };
  return space;
}

const RegisteredClause clause("C-ZERO-034", "TheNormIsOfGradientsWithoutTheScale", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
