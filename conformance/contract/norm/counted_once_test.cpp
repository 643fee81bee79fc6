// C-ZERO-031: every element is in the norm once: shared ones, replicated ones and those on other ranks too.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-031"};
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kPythagorean, GradientSource::kUniform};
  space.initial = InitialValues::kUniform;
  space.mesh = true;
  space.tied = true;
  space.frozen = true;
  space.clip = true;
  space.keep = [](const Case& c) { return c.experiment.max_norm > 0; };
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-031", Space, JudgeAgainstReference});

TEST(C_ZERO_031, EveryElementIsInTheNormOnce) { CheckClause("C-ZERO-031", Space(), JudgeAgainstReference); }

}  // namespace
}  // namespace zerocts
