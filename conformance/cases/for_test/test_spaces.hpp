// For tests: a subject that can do everything, one that can do little, and spaces that ask for everything.
#pragma once
#include "conformance/cases/draws/case_space.hpp"

namespace zerocts {

inline Capabilities EverythingCapable() {
  Capabilities c;
  c.stages = {0, 1, 2, 3};
  c.param_dtypes = {Precision::kFp32, Precision::kBf16};
  c.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb,
                  OptimizerKind::kMuon};
  c.max_world_size = 64;
  c.ranks_as_threads = true;
  c.reduction_orders = {"rank", "ring", "tree"};
  c.plans = {"contiguous", "padded"};
  c.bucket_cap_bytes = c.clip = c.accumulation = c.groups = c.set_group = true;
  c.states = {"master", "momentum", "exp_avg", "exp_avg_sq", "gradient"};
  c.models = {"mlp", "gpt"};
  c.replicas = c.frozen = c.missing_gradients = c.tied = c.buffers = c.mixed_dtypes = c.sgd_variants = true;
  c.overlap = c.timeline = c.events = c.traffic = c.memory_estimate = c.checkpoint = c.checkpoint_reshard =
      c.plan_files = true;
  c.gradient_sync = {GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch};
  c.accumulation_dtypes = c.reduce_dtypes = {Precision::kFp32, Precision::kBf16};
  c.clip_norms = {NormKind::kTwo, NormKind::kOne, NormKind::kInfinity};
  c.clip_formulas = {ClipFormula::kMin,       ClipFormula::kTorch,         ClipFormula::kAbove,
                     ClipFormula::kDeepSpeed, ClipFormula::kDeepSpeedFp64, ClipFormula::kDeepSpeedReciprocal};
  c.loss_scaling = {LossScaleKind::kStatic, LossScaleKind::kDynamic};
  c.offload = {Offload::kNone, Offload::kParams, Offload::kFull};
  c.losses = {LossShape::kLinear, LossShape::kQuadratic};
  c.tensor_parallel = {1, 2, 3, 4};
  c.checkpoint_in_window = c.goes_on_after_refusal = true;
  c.checkpoint_tensor = c.vocab_parallel = c.sequence_parallel = c.kv_heads = c.experts = c.expert_replicas = true;
  c.expert_divisors = {ExpertDivisor::kWorld, ExpertDivisor::kGroup};
  c.tensor_parts = {PartSizes::kEven, PartSizes::kCeil};
  return c;
}

inline Capabilities LittleCapable() {
  Capabilities c;
  c.stages = {1};
  c.param_dtypes = {Precision::kFp32};
  c.optimizers = {OptimizerKind::kSgd};
  c.max_world_size = 4;
  return c;
}

/// Two parameters, and all else as it is by default.
inline Case CaseOnFourRanks() {
  Case c;
  c.experiment.world_size = 4;
  c.experiment.parameters = {{"a", {2, 3}, 0}, {"b", {5}, 0}};
  return c;
}

inline Constraint HeldTo(const std::string& dimension, const std::vector<std::string>& values) {
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
  space.vary = {"clipping", "hyper-parameter changes", "buckets", "read order", "further reads", "steps read"};
  return space;
}

/// And calls between those that train.
inline CaseSpace InterruptedSpace() {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  space.max_steps = 6;
  space.vary.insert("extra calls");
  return space;
}

/// With every role of parameters, arrangement, rounding and optimizer too.
inline CaseSpace SemanticsOf(CaseSpace space) {
  space.optimizers = {OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kAdam, OptimizerKind::kLamb,
                      OptimizerKind::kMuon};
  space.max_steps = 5;
  space.vary.insert({"mesh", "gradient sync", "overlap", "offload", "frozen parameters", "missing gradients",
                     "tied names", "buffers", "mixed precisions", "sums", "loss scaling", "momentum", "clip norm",
                     "clip formula", "loss", "experts"});
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
  space.fidelity = Fidelity::kBounded;
  space.vary = {"momentum"};
  return space;
}

}  // namespace zerocts
