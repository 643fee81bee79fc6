#include "conformance/host/open_request.hpp"

#include <stdexcept>

namespace zerocts {

namespace {

template <typename Struct>
std::vector<const Struct*> PointersTo(const std::vector<Struct>& structs) {
  std::vector<const Struct*> pointers;
  for (const Struct& s : structs) pointers.push_back(&s);
  return pointers;
}

// One code per enumerator; a switch without default, so that the compiler names one that is forgotten.

uint32_t CodeOf(Precision precision) {
  switch (precision) {
    case Precision::kFp32: return ZEROCTS_FP32;
    case Precision::kBf16: return ZEROCTS_BF16;
  }
  throw std::logic_error("Precision out of range");
}

/// 0: as version 1.0 did.
uint32_t CodeOfSum(Precision precision) { return precision == Precision::kFp32 ? 0 : CodeOf(precision); }

uint32_t CodeOf(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kSgd: return ZEROCTS_SGD;
    case OptimizerKind::kAdamW: return ZEROCTS_ADAMW;
    case OptimizerKind::kAdam: return ZEROCTS_ADAM;
    case OptimizerKind::kLamb: return ZEROCTS_LAMB;
  }
  throw std::logic_error("OptimizerKind out of range");
}

uint32_t CodeOf(NormKind norm) {
  switch (norm) {
    case NormKind::kTwo: return ZEROCTS_NORM_TWO;
    case NormKind::kOne: return ZEROCTS_NORM_ONE;
    case NormKind::kInfinity: return ZEROCTS_NORM_INFINITY;
  }
  throw std::logic_error("NormKind out of range");
}

uint32_t CodeOf(ClipFormula formula) {
  switch (formula) {
    case ClipFormula::kMin: return ZEROCTS_CLIP_MIN;
    case ClipFormula::kTorch: return ZEROCTS_CLIP_TORCH;
    case ClipFormula::kAbove: return ZEROCTS_CLIP_ABOVE;
    case ClipFormula::kDeepSpeed: return ZEROCTS_CLIP_DEEPSPEED;
    case ClipFormula::kDeepSpeedFp64: return ZEROCTS_CLIP_DEEPSPEED_FP64;
  }
  throw std::logic_error("ClipFormula out of range");
}

uint32_t CodeOf(GradientSync sync) { return sync == GradientSync::kEach ? ZEROCTS_SYNC_EACH : ZEROCTS_SYNC_LAST; }

uint32_t CodeOf(Offload offload) {
  switch (offload) {
    case Offload::kNone: return ZEROCTS_OFFLOAD_NONE;
    case Offload::kParams: return ZEROCTS_OFFLOAD_PARAMS;
    case Offload::kFull: return ZEROCTS_OFFLOAD_FULL;
  }
  throw std::logic_error("Offload out of range");
}

uint32_t CodeOf(Overlap overlap) {
  switch (overlap) {
    case Overlap::kAny: return ZEROCTS_OVERLAP_ANY;
    case Overlap::kOff: return ZEROCTS_OVERLAP_OFF;
    case Overlap::kOn: return ZEROCTS_OVERLAP_ON;
  }
  throw std::logic_error("Overlap out of range");
}

}  // namespace

zerocts_group GroupValues(const HyperParameters& h) {
  zerocts_group group{};
  group.struct_size = sizeof(group);
  group.lr = h.lr;
  group.weight_decay = h.weight_decay;
  group.momentum = h.momentum;
  group.beta1 = h.beta1;
  group.beta2 = h.beta2;
  group.eps = h.eps;
  group.dampening = h.dampening;
  group.nesterov = h.nesterov;
  return group;
}

OpenRequest::OpenRequest(const Case& c, int rank, const std::vector<std::vector<float>>& initial,
                         const std::vector<std::pair<std::string, std::string>>& options, std::string model)
    : case_(c), model_(std::move(model)) {
  const Experiment& e = case_.experiment;
  DescribeParameters(initial);
  for (const HyperParameters& values : GroupsAtStep(e, 0)) groups_.push_back(GroupValues(values));
  for (const auto& [key, value] : options) options_.push_back({sizeof(zerocts_option), key.c_str(), value.c_str()});
  DescribeLossScaling(e.loss_scaling);
  parameter_pointers_ = PointersTo(parameters_);
  group_pointers_ = PointersTo(groups_);
  option_pointers_ = PointersTo(options_);

  args.struct_size = sizeof(args);
  args.rank = static_cast<uint32_t>(rank);
  args.world_size = static_cast<uint32_t>(e.world_size);
  args.stage = static_cast<uint32_t>(case_.stage);
  args.param_dtype = CodeOf(e.precision);
  args.optimizer = CodeOf(e.optimizer);
  args.micro_batches = static_cast<uint32_t>(e.micro_batches);
  args.max_norm = e.max_norm;
  args.clip_epsilon = e.clip_epsilon;
  args.reduction_order = case_.reduction_order == "probed" ? "any" : case_.reduction_order.c_str();
  args.plan = case_.plan.c_str();
  args.bucket_cap_bytes = case_.bucket_cap_bytes;
  args.n_parameters = static_cast<uint32_t>(parameters_.size());
  args.n_groups = static_cast<uint32_t>(groups_.size());
  args.n_options = static_cast<uint32_t>(options_.size());
  args.parameters = parameter_pointers_.data();
  args.groups = group_pointers_.data();
  args.options = option_pointers_.data();
  args.model = model_.empty() ? nullptr : model_.c_str();
  args.replicas = static_cast<uint32_t>(case_.replicas);
  args.gradient_sync = CodeOf(case_.gradient_sync);
  args.accumulation_dtype = CodeOfSum(e.accumulation);
  args.reduce_dtype = CodeOfSum(e.reduction);
  args.clip_norm = CodeOf(e.clip_norm);
  args.clip_formula = CodeOf(e.clip_formula);
  args.offload = CodeOf(case_.offload);
  args.overlap = CodeOf(case_.overlap);
  args.loss_scaling = e.loss_scaling.kind == LossScaleKind::kNone ? nullptr : &loss_scaling_;
}

void OpenRequest::DescribeParameters(const std::vector<std::vector<float>>& initial) {
  const Experiment& e = case_.experiment;  // names and shapes live there
  for (int p = 0; p < static_cast<int>(e.parameters.size()); ++p) {
    const ParameterSpec& spec = e.parameters[static_cast<size_t>(p)];
    const int owner = e.roles.OwnerOf(p);
    zerocts_parameter& parameter = parameters_.emplace_back();
    parameter.struct_size = sizeof(parameter);
    parameter.name = spec.name.c_str();
    parameter.group = static_cast<uint32_t>(spec.group);
    parameter.ndim = static_cast<uint32_t>(spec.shape.size());
    parameter.shape = spec.shape.data();
    parameter.numel = spec.numel();
    parameter.initial = initial[static_cast<size_t>(p)].data();
    const Precision precision = PrecisionOf(e, p);
    parameter.dtype = precision == e.precision ? 0 : CodeOf(precision);
    parameter.flags = e.roles.IsBuffer(p) ? ZEROCTS_PARAMETER_BUFFER : 0;
    parameter.tied_to = owner == p ? 0 : static_cast<uint32_t>(owner) + 1;
  }
}

void OpenRequest::DescribeLossScaling(const LossScaling& s) {
  loss_scaling_.struct_size = sizeof(loss_scaling_);
  loss_scaling_.kind = s.kind == LossScaleKind::kDynamic ? ZEROCTS_LOSS_SCALE_DYNAMIC : ZEROCTS_LOSS_SCALE_STATIC;
  loss_scaling_.scale = s.scale;
  loss_scaling_.growth_factor = s.growth_factor;
  loss_scaling_.backoff_factor = s.backoff_factor;
  loss_scaling_.minimum = s.minimum;
  loss_scaling_.renew_hysteresis = s.renew_hysteresis;
  loss_scaling_.growth_interval = s.growth_interval;
  loss_scaling_.hysteresis = s.hysteresis;
}

}  // namespace zerocts
