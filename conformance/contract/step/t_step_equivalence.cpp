// C-ZERO-050: ten steps and more end where training in one process ends, on random gradients and on real text.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.min_steps = 10;
  space.max_steps = 12;
  space.clip = true;
  space.hyper_changes = true;
  space.buckets = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

const RegisteredClause clause("C-ZERO-050", "ManyStepsEndWhereOneProcessEnds", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
