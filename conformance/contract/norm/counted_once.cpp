// C-ZERO-031: every element is in the norm once: shared ones, replicated ones and those on other ranks too.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kPythagorean, GradientSource::kUniform};
  space.initial = InitialValues::kUniform;
  space.mesh = true;
  space.tied = true;
  space.frozen = true;
  space.clip = true;
  space.keep = [](const Case& c) { return c.experiment.max_norm > 0; };
  return space;
}

const RegisteredClause clause("C-ZERO-031", "EveryElementIsInTheNormOnce", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
