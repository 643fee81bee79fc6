// C-ZERO-023: gradients are rounded to the declared dtype where it is declared, and nowhere else.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-023"};
  space.gradients = {GradientSource::kUniform};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.bf16_sums = true;
  space.mesh = true;
  return space;
}

std::optional<Finding> Judge(const Stratum& stratum, const Case& c) { return AgainstReference(c, Observe(stratum, c)); }

const bool registered = RegisterClauseCheck({"C-ZERO-023", Space, Judge});

TEST(C_ZERO_023, GradientsTravelInTheDeclaredDtype) { CheckClause("C-ZERO-023", Space(), Judge); }

}  // namespace
}  // namespace zerocts
