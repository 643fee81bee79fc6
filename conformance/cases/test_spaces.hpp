// For tests: a subject that can do everything, and spaces that ask for everything.
#pragma once
#include "conformance/cases/case_space.hpp"

namespace zerocts {

inline Capabilities EverythingCapable() {
  Capabilities c;
  c.stages = {0, 1, 2, 3};
  c.param_dtypes = {Precision::kFp32, Precision::kBf16};
  c.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb};
  c.max_world_size = 64;
  c.ranks_as_threads = true;
  c.reduction_orders = {"rank", "ring", "tree"};
  c.plans = {"contiguous", "padded"};
  c.bucket_cap_bytes = c.clip = c.accumulation = c.groups = c.set_group = true;
  c.states = {"master", "momentum", "exp_avg", "exp_avg_sq", "gradient"};
  c.models = {"mlp", "gpt"};
  c.replicas = c.frozen = c.missing_gradients = c.tied = c.buffers = c.mixed_dtypes = c.sgd_variants = true;
  c.overlap = c.timeline = c.traffic = c.memory_estimate = c.checkpoint = c.checkpoint_reshard = true;
  c.gradient_sync = {GradientSync::kLast, GradientSync::kEach};
  c.accumulation_dtypes = c.reduce_dtypes = {Precision::kFp32, Precision::kBf16};
  c.clip_norms = {NormKind::kTwo, NormKind::kOne, NormKind::kInfinity};
  c.clip_formulas = {ClipFormula::kMin, ClipFormula::kTorch, ClipFormula::kAbove, ClipFormula::kDeepSpeed,
                     ClipFormula::kDeepSpeedFp64};
  c.loss_scaling = {LossScaleKind::kStatic, LossScaleKind::kDynamic};
  c.offload = {Offload::kNone, Offload::kParams, Offload::kFull};
  return c;
}

inline Aim HeldTo(const std::string& dimension, const std::vector<std::string>& values) {
  return {dimension, values, {{dimension, values}}};
}

/// Both optimizers, clipping, changes, buckets, reads.
inline CaseSpace EverythingOf(ShapeStyle shapes) {
  CaseSpace space;
  space.clause = "C-ZERO-000";
  space.shapes = shapes;
  space.gradients = {GradientSource::kIndexCoded, GradientSource::kOneHot, GradientSource::kPythagorean,
                     GradientSource::kUniform, GradientSource::kZero};
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW};
  space.clip = space.hyper_changes = space.buckets = space.reads = true;
  return space;
}

/// Every switch of minor versions 1 and 2 too, and every optimizer.
inline CaseSpace SemanticsOf(CaseSpace space) {
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb};
  space.max_steps = 5;
  space.mesh = space.sync_each = space.overlap = space.offload = space.frozen = space.missing = space.tied = true;
  space.buffers = space.mixed_precisions = space.bf16_sums = space.loss_scaling = true;
  space.optimizer_variants = space.clip_variants = true;
  space.checkpoint = CheckpointUse::kResume;
  return space;
}

/// A model on text.
inline CaseSpace ModelSpace() {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.gradients = {GradientSource::kModel};
  space.initial = InitialValues::kModel;
  return space;
}

/// Real training.
inline CaseSpace BoundedSpace() {
  CaseSpace space{.clause = "C-ZERO-000"};
  space.gradients = {GradientSource::kModel};
  space.initial = InitialValues::kModel;
  space.bounded = space.optimizer_variants = true;
  return space;
}

}  // namespace zerocts
