// C-ZERO-074: memory that is still in use is neither overwritten nor given away.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kModel, GradientSource::kUniform};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.overlap = true;
  space.offload = true;
  space.sync_each = true;
  space.buckets = true;
  space.stages = {2, 3};
  space.min_steps = 2;
  space.max_steps = 4;
  space.finish = [](Case& c) {
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
    if (c.overlap != Overlap::kAny) c.overlap = Overlap::kOn;  // where it is declared
    if (c.bucket_cap_bytes != 0) c.bucket_cap_bytes = 8;       // likewise: many buckets under way at once
  };
  return space;
}

const RegisteredClause clause("C-ZERO-074", "MemoryInUseIsLeftAlone", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
