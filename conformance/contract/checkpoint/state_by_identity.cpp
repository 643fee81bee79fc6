// C-ZERO-083: what was saved comes back to the parameter and the group that it was saved from.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

/// Every other case has parameters of one shape alone: what is given to the wrong one fits there.
void GiveOneShape(Experiment& e) {
  if (e.model || e.seed % 2 == 0) return;
  for (ParameterSpec& parameter : e.parameters) parameter.shape = e.parameters.back().shape;
}

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kModel};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.min_steps = 3;
  space.max_steps = 5;
  space.max_groups = 4;
  space.frozen = space.missing = space.hyper_changes = true;
  space.checkpoint = CheckpointUse::kResume;
  space.finish = [](Case& c) {
    GiveOneShape(c.experiment);
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

const RegisteredClause clause("C-ZERO-083", "EachParameterGetsItsOwnStateBack", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
