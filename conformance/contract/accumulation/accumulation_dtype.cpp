// C-ZERO-021: sums over micro-batches are kept in the declared precision.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform};
  space.simple_sgd = true;
  space.initial = InitialValues::kUniform;
  space.max_micro_batches = 4;
  space.bf16_sums = true;
  space.sync_each = true;
  return space;
}

const RegisteredClause clause("C-ZERO-021", "SumsOverMicroBatchesKeepTheDeclaredPrecision", Space,
                              JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
