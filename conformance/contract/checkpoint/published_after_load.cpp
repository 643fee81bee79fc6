// C-ZERO-087: what is read right after a load is what was saved, on every rank.
#include "conformance/contract/checkpoint/spaces.hpp"

namespace zerocts {
namespace {

CaseSpace Space() {
  CaseSpace space;
  space.gradients = {GradientSource::kIndexCoded};
  space.optimizers = {OptimizerKind::kAdamW, OptimizerKind::kSgd};
  space.max_steps = 2;
  space.buckets = space.reads = space.mesh = space.offload = true;
  space.tied = space.buffers = space.mixed_precisions = true;
  space.checkpoint = CheckpointUse::kResume;
  space.keep = HasNoEmptyGroup;
  space.finish = [](Case& c) {
    GiveMomentumToAllOrNone(c.experiment);
    c.checkpoint->after_step = c.experiment.steps - 1;
  };
  return space;
}

const RegisteredClause clause("C-ZERO-087", "WhatIsReadAfterALoadWasSaved", Space, JudgeAgainstReference);

}  // namespace
}  // namespace zerocts
