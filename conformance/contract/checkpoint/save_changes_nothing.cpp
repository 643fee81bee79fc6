// C-ZERO-090: a run in which a checkpoint is saved goes on as one in which none is.
#include "conformance/contract/judging.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.clip = space.hyper_changes = space.buckets = space.reads = true;
  space.mesh = space.overlap = space.offload = space.buffers = space.loss_scaling = true;
  space.checkpoint = CheckpointUse::kSaveOnly;
  return space;
}

const RegisteredClause clause("C-ZERO-090", "SavingChangesNothing", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
