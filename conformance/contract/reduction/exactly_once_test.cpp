// C-ZERO-012: a parameter that is used several times is reduced once, with all of its uses in it.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-012"};
  space.gradients = {GradientSource::kModel, GradientSource::kOneHot, GradientSource::kUniform};
  space.initial = InitialValues::kUniform;
  space.tied = true;
  space.sync_each = true;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-012", Space, JudgeAgainstReference});

TEST(C_ZERO_012, AllUsesOfAParameterEnterTheReductionOnce) {
  CheckClause("C-ZERO-012", Space(), JudgeAgainstReference);
}

}  // namespace
}  // namespace zerocts
