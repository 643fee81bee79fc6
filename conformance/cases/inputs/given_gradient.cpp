#include "conformance/cases/inputs/given_gradient.hpp"

#include <algorithm>

#include "reference/experiment/data.hpp"

namespace zerocts {

bool IsGivenAsNull(const Case& c, int parameter, int64_t step, int64_t g) {
  const Experiment& e = c.experiment;
  const int rank = static_cast<int>(g / e.micro_batches);
  if (e.roles.IsBuffer(parameter) || e.roles.IsFrozen(parameter, step) || !e.experts.Has(rank, parameter)) return true;
  return c.missing_as_null && !GivesGradient(e, parameter, step, g);
}

bool RepeatsGradients(const Case& c) {
  const Experiment& e = c.experiment;
  return c.observe_profile && !c.poison_memory && e.gradients != GradientSource::kModel && e.curvature == 0 &&
         e.micro_batches == 1 && e.roles == ParameterRoles{} && e.planted.empty();
}

void FillGivenGradient(const Case& c, int64_t step, int64_t g, int parameter, float* out) {
  if (RepeatsGradients(c)) step = FirstStep(c);
  if (GivesGradient(c.experiment, parameter, step, g)) {
    FillGradient(c.experiment, step, g, parameter, out);
  } else {
    std::fill_n(out, c.experiment.parameters[static_cast<size_t>(parameter)].numel(), 0.0f);
  }
}

}  // namespace zerocts
