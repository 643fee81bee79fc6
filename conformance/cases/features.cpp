#include "conformance/cases/features.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/cases/equal_shards.hpp"
#include "conformance/cases/gradient_norm.hpp"
#include "conformance/cases/magnitude.hpp"
#include "conformance/cases/reshard.hpp"
#include "reference/optim/step.hpp"

namespace zerocts {
namespace {

class Features {
 public:
  void AddIf(bool present, const std::string& name) {
    if (present) names_.insert(name);
  }
  std::set<std::string> Take() { return std::move(names_); }

 private:
  std::set<std::string> names_;
};

void AddShapes(const Experiment& e, Features& features) {
  const int64_t total = TotalNumel(e), world_size = e.world_size;
  const auto any = [&](auto holds) { return std::any_of(e.parameters.begin(), e.parameters.end(), holds); };
  features.AddIf(total % world_size != 0, "uneven");
  features.AddIf(any([&](const ParameterSpec& p) { return p.numel() > 0 && p.numel() < world_size; }), "numel_below_w");
  features.AddIf(total < world_size, "empty_rank");
  features.AddIf(any([](const ParameterSpec& p) { return p.numel() == 0; }), "zero_numel");
  features.AddIf(any([](const ParameterSpec& p) { return p.shape.empty(); }), "scalar");
  features.AddIf(e.parameters.size() == 1, "one_parameter");

  const std::vector<int64_t> edges = FlatOffsets(e);
  for (const int64_t boundary : EqualShardBoundaries(total, e.world_size)) {
    if (boundary == 0 || boundary == total) continue;
    const bool on_edge = std::binary_search(edges.begin(), edges.end(), boundary);
    features.AddIf(true, on_edge ? "boundary_on_edge" : "boundary_inside");
  }
}

std::set<int> GroupsWithParameters(const Experiment& e) {
  std::set<int> used;
  for (const ParameterSpec& parameter : e.parameters) used.insert(parameter.group);
  return used;
}

void AddGroups(const Experiment& e, Features& features) {
  features.AddIf(GroupsWithParameters(e).size() >= 2, "multi_group");
  features.AddIf(HasEmptyGroup(e), "empty_group");
}

void AddClipping(const Experiment& e, Features& features) {
  if (e.max_norm == 0) return;
  const std::vector<float> norms = KnownGradientNorms(e);
  const bool clips = std::any_of(norms.begin(), norms.end(), [&](float norm) {
    const bool overflows = SkipsOverflow(e.loss_scaling) && std::isnan(norm);
    return !overflows && ClipCoefficient(e.clip_formula, norm, e.max_norm, e.clip_epsilon) != 1.0f;
  });
  features.AddIf(true, clips ? "clip_active" : "clip_inactive");
  features.AddIf(e.gradients == GradientSource::kUniform, "clip_random");
  features.AddIf(e.clip_norm == NormKind::kOne, "clip_norm_one");
  features.AddIf(e.clip_norm == NormKind::kInfinity, "clip_norm_infinity");
  features.AddIf(e.clip_formula == ClipFormula::kTorch, "clip_formula_torch");
  features.AddIf(e.clip_formula == ClipFormula::kAbove, "clip_formula_above");
  features.AddIf(e.clip_formula == ClipFormula::kDeepSpeed, "clip_formula_deepspeed");
  features.AddIf(e.clip_formula == ClipFormula::kDeepSpeedFp64, "clip_formula_deepspeed_fp64");
}

void AddRoles(const Experiment& e, Features& features) {
  const ParameterRoles& roles = e.roles;
  features.AddIf(!roles.tied.empty(), "tied");
  features.AddIf(!roles.buffers.empty(), "buffer");
  features.AddIf(std::ranges::any_of(roles.precisions, [&](const auto& p) { return p.precision != e.precision; }),
                 "mixed_precisions");
  for (int64_t step = 0; step < e.steps; ++step) {
    for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
      if (!roles.HasState(p)) continue;
      const bool is_frozen = roles.IsFrozen(p, step);
      features.AddIf(is_frozen, "frozen");
      features.AddIf(step > 0 && !is_frozen && roles.IsFrozen(p, step - 1), "thawed");
      features.AddIf(!is_frozen && !IsUpdated(e, p, step), "missing_all");
    }
  }
  for (const MissingGradient& missing : roles.missing) {
    features.AddIf(IsUpdated(e, roles.OwnerOf(missing.parameter), missing.step), "missing_some");
  }
}

void AddScaling(const Experiment& e, Features& features) {
  if (e.loss_scaling.kind == LossScaleKind::kNone) return;
  features.AddIf(true, "loss_scaling");
  features.AddIf(e.loss_scaling.kind == LossScaleKind::kDynamic, "dynamic_scale");
  for (const PlantedValue& planted : e.planted) {
    features.AddIf(e.roles.GivesGradient(planted.parameter, planted.step, planted.g), "overflow");
  }
}

void AddArrangement(const Case& c, Features& features) {
  features.AddIf(c.replicas > 1, "mesh");
  features.AddIf(c.gradient_sync == GradientSync::kEach && c.experiment.micro_batches > 1, "sync_each");
  features.AddIf(c.overlap == Overlap::kOn, "overlap");
  features.AddIf(c.offload != Offload::kNone, "offload");
  features.AddIf(c.experiment.accumulation == Precision::kBf16, "bf16_accumulation");
  features.AddIf(c.experiment.reduction == Precision::kBf16, "bf16_reduction");
}

/// Is the loss scale's automaton, as it stands after a step, another than at the beginning? Overflows are those that
/// are planted.
bool HasMovedScale(const Experiment& e, int64_t after_step) {
  LossScaleState state = InitialLossScale(e.loss_scaling);
  for (int64_t step = 0; step <= after_step; ++step) {
    const bool overflow = std::ranges::any_of(e.planted, [&](const PlantedValue& planted) {
      return planted.step == step && e.roles.GivesGradient(planted.parameter, planted.step, planted.g);
    });
    state = NextLossScale(e.loss_scaling, state, overflow);
  }
  return state != InitialLossScale(e.loss_scaling);
}

void AddCheckpoint(const Case& c, Features& features) {
  if (!c.checkpoint) return;
  const Experiment& e = c.experiment;
  const int64_t step = c.checkpoint->after_step;
  const bool reshards = IsResharded(c), resumes = reshards || c.checkpoint->how == CheckpointUse::kResume;
  features.AddIf(!reshards, resumes ? "resume" : "save");
  features.AddIf(reshards && c.checkpoint->other_world_size > c.world_size(), "loaded_by_more");
  features.AddIf(reshards && c.checkpoint->other_world_size < c.world_size(), "loaded_by_fewer");
  features.AddIf(reshards && c.replicas > 1, "loaded_on_mesh");
  features.AddIf(resumes && GroupsAtStep(e, step) != GroupsAtStep(e, 0), "resumed_change");
  features.AddIf(resumes && HasMovedScale(e, step), "resumed_scale");
  features.AddIf(c.checkpoint->damage.has_value(), "damaged");
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    features.AddIf(resumes && e.roles.HasState(p) && e.roles.IsFrozen(p, step), "resumed_frozen");
  }
}

void AddOptimizer(const Experiment& e, Features& features) {
  features.AddIf(true, ToString(e.optimizer));
  bool momentum = false, weight_decay = false, nesterov = false, dampening = false;
  for (int64_t step = 0; step < e.steps; ++step) {
    const std::vector<HyperParameters> now = GroupsAtStep(e, step);
    for (size_t g = 0; g < now.size(); ++g) {
      momentum = momentum || (e.optimizer == OptimizerKind::kSgd && now[g].momentum != 0);
      weight_decay = weight_decay || now[g].weight_decay != 0;
      nesterov = nesterov || now[g].nesterov;
      dampening = dampening || now[g].dampening != 0;
      if (step == 0) continue;
      const HyperParameters before = GroupsAtStep(e, step - 1)[g];
      features.AddIf(now[g].lr != before.lr, "lr_change");
      HyperParameters with_old_lr = now[g];
      with_old_lr.lr = before.lr;
      features.AddIf(with_old_lr != before, "hyper_change");
    }
  }
  features.AddIf(momentum, "momentum");
  features.AddIf(weight_decay, "weight_decay");
  features.AddIf(nesterov, "nesterov");
  features.AddIf(dampening, "dampening");
}

void AddBuckets(const Case& c, Features& features) {
  if (c.bucket_cap_bytes == 0) return;
  const Experiment& e = c.experiment;
  const uint64_t element_bytes = e.precision == Precision::kBf16 ? 2 : 4;
  features.AddIf(true, "bucket");
  features.AddIf(TotalNumel(e) * element_bytes % c.bucket_cap_bytes != 0, "bucket_partial");
  for (const ParameterSpec& parameter : e.parameters) {
    const uint64_t bytes = parameter.numel() * element_bytes;
    features.AddIf(bytes == c.bucket_cap_bytes, "bucket_exact");
    features.AddIf(bytes > c.bucket_cap_bytes, "bucket_oversize");
  }
}

}  // namespace

bool HasEmptyGroup(const Experiment& e) { return GroupsWithParameters(e).size() < e.groups.size(); }

std::set<std::string> FeaturesOf(const Case& c) {
  const Experiment& e = c.experiment;
  Features features;
  AddShapes(e, features);
  AddGroups(e, features);
  AddOptimizer(e, features);
  AddClipping(e, features);
  AddBuckets(c, features);
  AddRoles(e, features);
  AddScaling(e, features);
  AddArrangement(c, features);
  AddCheckpoint(c, features);
  features.AddIf(e.micro_batches >= 2, "accumulation");
  features.AddIf(e.steps >= 2, "multi_step");
  features.AddIf(e.micro_batches >= 2 && e.steps >= 2, "multi_window");
  features.AddIf(e.precision == Precision::kBf16, "bf16");
  features.AddIf(HasSubnormals(e), "subnormal");
  features.AddIf(HasHugeValues(e), "huge");
  features.AddIf(true, "stage" + std::to_string(c.stage));
  features.AddIf(e.gradients == GradientSource::kModel, "model_on_text");
  features.AddIf(c.fidelity == Fidelity::kBounded, "real_training");
  features.AddIf(e.gradients == GradientSource::kUniform, "random_gradients");
  features.AddIf(e.gradients == GradientSource::kOneHot, "one_hot");
  features.AddIf(c.read_order == ReadOrder::kReversed, "read_reversed");
  features.AddIf(c.read_order == ReadOrder::kShuffled, "read_shuffled");
  features.AddIf(c.read_before_step, "read_before_step");
  features.AddIf(c.read_twice, "read_twice");
  return features.Take();
}

const std::vector<std::pair<std::string, std::string>>& FeatureMeanings() {
  static const std::vector<std::pair<std::string, std::string>> kMeanings = {
      {"uneven", "the number of elements is not a multiple of the number of ranks"},
      {"numel_below_w", "a parameter has fewer elements than there are ranks, but at least one"},
      {"empty_rank", "there are fewer elements than ranks, so that some rank owns nothing"},
      {"zero_numel", "a parameter has no elements"},
      {"scalar", "a parameter has no dimensions (one element)"},
      {"one_parameter", "the model has one parameter"},
      {"boundary_inside", "a boundary of equal contiguous shards lies inside a parameter"},
      {"boundary_on_edge", "a boundary of equal contiguous shards lies on the edge between two parameters"},
      {"multi_group", "two or more groups have parameters"},
      {"empty_group", "a group has no parameter"},
      {"accumulation", "each rank adds two or more micro-batches per step"},
      {"multi_step", "two or more steps"},
      {"multi_window", "two or more steps of two or more micro-batches each"},
      {"clip_active", "clipping is on and some step of the reference clips (a model on text: the first step)"},
      {"clip_inactive", "clipping is on and no step of the reference clips (a model on text: not the first step)"},
      {"clip_random", "clipping is on and gradients are random"},
      {"lr_change", "the learning rate changes between two steps"},
      {"hyper_change", "a hyper-parameter other than the learning rate changes between two steps"},
      {"bf16", "parameters and gradients are bf16"},
      {"subnormal", "some initial values, gradients, second moments, learning rates or weight decays are subnormal"},
      {"huge", "some of them are near the largest numbers"},
      {"sgd", "the optimizer is SGD"},
      {"momentum", "the optimizer is SGD with momentum"},
      {"adamw", "the optimizer is AdamW"},
      {"adam", "the optimizer is Adam: the decay is added to the gradient"},
      {"lamb", "the optimizer is LAMB: one step length per whole parameter"},
      {"nesterov", "SGD with Nesterov's momentum"},
      {"dampening", "SGD with dampening"},
      {"weight_decay", "a group has weight decay"},
      {"stage0", "nothing is sharded"},
      {"stage1", "optimizer states are sharded"},
      {"stage2", "optimizer states and gradients are sharded"},
      {"stage3", "optimizer states, gradients and parameters are sharded"},
      {"bucket", "the size of a bucket is given"},
      {"bucket_partial", "the last bucket is not full: all gradients together are no multiple of the bucket size"},
      {"bucket_exact", "a parameter's gradient fills a bucket exactly"},
      {"bucket_oversize", "a parameter's gradient is larger than a bucket"},
      {"model_on_text", "gradients are those of a model that is trained on text"},
      {"real_training", "a model that the subject computes itself is trained on text, judged by a bound"},
      {"random_gradients", "gradients are random over many exponents, so that the order of addition shows"},
      {"one_hot", "each element's gradient comes from one micro-batch alone"},
      {"read_reversed", "parameters are read back last to first"},
      {"read_shuffled", "parameters are read back in a random order"},
      {"read_before_step", "parameters are also read between the last micro-batch and the step"},
      {"read_twice", "parameters are read twice after a step"},
      {"clip_norm_one", "clipping is by the 1-norm"},
      {"clip_norm_infinity", "clipping is by the largest magnitude"},
      {"clip_formula_torch", "the coefficient is min(1, (1 / (norm + epsilon)) * max_norm)"},
      {"clip_formula_above", "the coefficient is 1 up to max_norm, whatever epsilon"},
      {"clip_formula_deepspeed", "the coefficient is 1 / max(1, (norm + epsilon) / max_norm)"},
      {"clip_formula_deepspeed_fp64",
       "the coefficient is 1 / max(1, (norm + epsilon) / max_norm) in fp64, rounded once"},
      {"mesh", "ranks form two or more replicas of a sharding group"},
      {"sync_each", "gradients are reduced after each of two or more micro-batches"},
      {"overlap", "collectives run beside forward and backward"},
      {"offload", "parameters, states or gradients live on the host between their uses"},
      {"bf16_accumulation", "sums over micro-batches are kept in bf16"},
      {"bf16_reduction", "gradients travel, and are added over ranks, in bf16"},
      {"frozen", "a parameter is frozen in some step"},
      {"thawed", "a frozen parameter is trained again"},
      {"missing_some", "in some step a parameter has no gradient from some micro-batches, and one from others"},
      {"missing_all", "in some step a parameter has no gradient from any micro-batch, and is not frozen"},
      {"tied", "two names of one parameter"},
      {"buffer", "a parameter that is never updated"},
      {"mixed_precisions", "some parameters are bf16 and some fp32"},
      {"loss_scaling", "gradients are multiplied by a loss scale"},
      {"dynamic_scale", "the loss scale follows overflows"},
      {"overflow", "a gradient is not finite under loss scaling, so that a step is skipped"},
      {"save", "a checkpoint is saved between two steps, and nothing is loaded"},
      {"resume", "between two steps a checkpoint is saved and loaded into a fresh engine"},
      {"resumed_change",
       "hyper-parameters in the checkpoint are others than those that the fresh engine was opened with"},
      {"damaged", "a file of the checkpoint is missing or cut off when it is loaded"},
      {"resumed_frozen", "a parameter is frozen when the checkpoint is saved"},
      {"loaded_by_more", "more ranks load a checkpoint than have saved it"},
      {"loaded_by_fewer", "fewer ranks load a checkpoint than have saved it"},
      {"loaded_on_mesh", "as many replicas as have saved a checkpoint load it, on another number of ranks"},
      {"resumed_scale", "the loss scale's automaton in the checkpoint stands elsewhere than at its beginning"},
  };
  return kMeanings;
}

}  // namespace zerocts
