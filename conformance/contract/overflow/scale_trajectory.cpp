// C-ZERO-042: the loss scale follows its automaton, on every rank the same.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.loss_scaling = true;
  space.min_steps = 12;
  space.max_steps = 20;
  space.max_micro_batches = 1;
  space.keep = [](const Case& c) { return c.experiment.loss_scaling.kind == LossScaleKind::kDynamic; };
  return space;
}

const RegisteredClause clause("C-ZERO-042", "TheScaleFollowsItsAutomaton", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
