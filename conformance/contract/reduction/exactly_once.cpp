// C-ZERO-012: a parameter that is used several times is reduced once, with all of its uses in it.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kOneHot, GradientSource::kUniform};
  space.initial = InitialValues::kUniform;
  space.tied = true;
  space.sync_each = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

const RegisteredClause clause("C-ZERO-012", "AllUsesOfAParameterEnterTheReductionOnce", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
