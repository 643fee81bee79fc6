// C-ZERO-021: sums over micro-batches are kept in the declared precision.
#include <gtest/gtest.h>

#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space{.clause = "C-ZERO-021"};
  space.gradients = {GradientSource::kUniform};
  space.simple_sgd = true;
  space.initial = InitialValues::kUniform;
  space.max_micro_batches = 4;
  space.bf16_sums = true;
  space.sync_each = true;
  return space;
}

const bool registered = RegisterClauseCheck({"C-ZERO-021", Space, JudgeAgainstReference});

TEST(C_ZERO_021, SumsOverMicroBatchesKeepTheDeclaredPrecision) {
  CheckClause("C-ZERO-021", Space(), JudgeAgainstReference);
}

}  // namespace
}  // namespace zerocts
