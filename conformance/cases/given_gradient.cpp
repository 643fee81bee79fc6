#include "conformance/cases/given_gradient.hpp"

#include <algorithm>

#include "reference/experiment/data.hpp"

namespace zerocts {

bool IsGivenAsNull(const Case& c, int parameter, int64_t step, int64_t g) {
  const ParameterRoles& roles = c.experiment.roles;
  if (roles.IsBuffer(parameter) || roles.IsFrozen(parameter, step)) return true;
  return c.missing_as_null && !roles.GivesGradient(parameter, step, g);
}

void FillGivenGradient(const Case& c, int64_t step, int64_t g, int parameter, float* out) {
  if (c.experiment.roles.GivesGradient(parameter, step, g)) {
    FillGradient(c.experiment, step, g, parameter, out);
  } else {
    std::fill_n(out, c.experiment.parameters[static_cast<size_t>(parameter)].numel(), 0.0f);
  }
}

}  // namespace zerocts
