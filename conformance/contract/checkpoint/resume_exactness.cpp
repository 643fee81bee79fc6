// C-ZERO-080: saved, loaded into a fresh engine, trained on: the bits of a run that was never interrupted.
#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kUniform, GradientSource::kIndexCoded, GradientSource::kModel};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb};
  space.initial = InitialValues::kUniform;
  space.min_steps = 2;
  space.max_steps = 4;
  space.clip = space.hyper_changes = space.buckets = true;
  space.mesh = space.sync_each = space.overlap = space.offload = true;
  space.missing = space.tied = space.buffers = space.mixed_precisions = true;
  space.bf16_sums = space.loss_scaling = space.optimizer_variants = true;
  space.checkpoint = CheckpointUse::kResume;
  space.keep = HasNoEmptyGroup;
  space.finish = [](Case& c) {
    GiveMomentumToAllOrNone(c.experiment);
    if (c.experiment.model) c.experiment.initial = InitialValues::kModel;
  };
  return space;
}

const RegisteredClause clause("C-ZERO-080", "AResumedRunEndsWhereAnUninterruptedOneEnds", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
