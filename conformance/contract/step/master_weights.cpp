// C-ZERO-056: updates too small for bf16 add up in the master weights.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdam};
  space.initial = InitialValues::kUniform;
  space.min_steps = 8;
  space.max_steps = 12;
  space.max_micro_batches = 1;
  space.finish = [](Case& c) { ForEachHyperParameters(c.experiment, [](HyperParameters& h) { h.lr /= 1024; }); };
  return space;
}

const RegisteredClause clause("C-ZERO-056", "SmallUpdatesAddUp", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
