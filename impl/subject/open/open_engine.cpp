#include "impl/subject/open/open_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"
#include "impl/stages/arrangement/strategy.hpp"
#include "impl/stages/engine/memory_estimate.hpp"
#include "impl/subject/open/known.hpp"
#include "impl/subject/options/options.hpp"
#include "reference/experiment/experiment_json.hpp"
#include "reference/experiment/json_text.hpp"
#include "reference/model/model_spec.hpp"

namespace zerocts::engine {
namespace {

constexpr uint32_t kMostMicroBatches = 1u << 20;
constexpr uint32_t kLargestBatch = 1u << 20;
constexpr uint64_t kLargestBucket = uint64_t{1} << 50;

nlohmann::json ParsedModel(const char* text) {
  try {
    return ParseJson(text);
  } catch (const JsonTextError& wrong) {
    throw std::invalid_argument(fmt::format("model: {}", wrong.what()));
  }
}

/// Throws std::invalid_argument with a sentence: not JSON, or no model that makes sense.
ModelSpec ModelSpecFromText(const char* text) {
  const ModelSpec model = ModelSpecFromJson(ParsedModel(text), "model");
  if (const std::string problem = Problem(model); !problem.empty()) throw std::invalid_argument(problem);
  return model;
}

void RequireSensible(const zerocts_open_args& args) {
  Expect(args.world_size >= 1, "world_size is 0: expected at least 1");
  if (args.world_size > kLargestWorld) {
    throw Unimplemented(
        fmt::format("world_size is {}: this subject has at most {} ranks", args.world_size, kLargestWorld));
  }
  Expect(args.rank < args.world_size,
         fmt::format("rank is {}: expected 0..{} for world_size {}", args.rank, args.world_size - 1, args.world_size));
  Expect(args.micro_batches >= 1 && args.micro_batches <= kMostMicroBatches,
         fmt::format("micro_batches is {}: expected 1..{}", args.micro_batches, kMostMicroBatches));
  Expect(args.batch <= kLargestBatch, fmt::format("batch is {}: expected at most {}", args.batch, kLargestBatch));
  Expect(args.max_norm >= 0,
         fmt::format("max_norm is {}: expected 0 (no clipping) or a positive number", args.max_norm));
  Expect(args.clip_epsilon >= 0,
         fmt::format("clip_epsilon is {}: expected a number that is not negative", args.clip_epsilon));
  Expect(args.deadline_ms >= 1, "deadline_ms is 0: expected at least 1");
  Expect(args.bucket_cap_bytes <= kLargestBucket,
         fmt::format("bucket_cap_bytes is {}: expected at most {}", args.bucket_cap_bytes, kLargestBucket));
}

Precision PrecisionOf(uint32_t param_dtype) {
  if (param_dtype == ZEROCTS_FP32) return Precision::kFp32;
  if (param_dtype == ZEROCTS_BF16) return Precision::kBf16;
  throw Unimplemented(fmt::format("param_dtype {} is not in this build, which has fp32 ({}) and bf16 ({})", param_dtype,
                                  static_cast<int>(ZEROCTS_FP32), static_cast<int>(ZEROCTS_BF16)));
}

/// One of several named values of the ABI.
template <class Value>
Value OneOf(const char* what, uint32_t number, std::initializer_list<std::pair<uint32_t, Value>> values) {
  std::vector<uint32_t> numbers;
  for (const auto& [known, value] : values) {
    if (known == number) return value;
    numbers.push_back(known);
  }
  throw Unimplemented(fmt::format("{} {} is not in this build, which has {}", what, number, fmt::join(numbers, ", ")));
}

OptimizerKind OptimizerOf(uint32_t optimizer) {
  return OneOf<OptimizerKind>("optimizer", optimizer,
                              {{ZEROCTS_SGD, OptimizerKind::kSgd},
                               {ZEROCTS_ADAMW, OptimizerKind::kAdamW},
                               {ZEROCTS_ADAM, OptimizerKind::kAdam},
                               {ZEROCTS_LAMB, OptimizerKind::kLamb},
                               {ZEROCTS_MUON, OptimizerKind::kMuon}});
}

LossScaling LossScalingOf(const zerocts_loss_scaling& given) {
  LossScaling scaling;
  scaling.kind = OneOf<LossScaleKind>(
      "loss scaling", given.kind,
      {{ZEROCTS_LOSS_SCALE_STATIC, LossScaleKind::kStatic}, {ZEROCTS_LOSS_SCALE_DYNAMIC, LossScaleKind::kDynamic}});
  scaling.scale = given.scale;
  scaling.growth_factor = given.growth_factor;
  scaling.backoff_factor = given.backoff_factor;
  scaling.growth_interval = given.growth_interval;
  scaling.hysteresis = given.hysteresis;
  scaling.renew_hysteresis = given.renew_hysteresis != 0;
  scaling.minimum = given.minimum;
  Expect(scaling.scale > 0, fmt::format("the loss scale is {}: expected a positive number", scaling.scale));
  return scaling;
}

EngineParameter ParameterOf(const zerocts_parameter& parameter, Precision usual, uint32_t n_groups) {
  EngineParameter result;
  ParameterSpec& spec = result.spec;
  spec.name = parameter.name ? parameter.name : "";
  spec.group = static_cast<int>(parameter.group);
  Expect(parameter.group < n_groups,
         fmt::format("parameter {} is in group {}: expected 0..{}", spec.name, parameter.group, int64_t{n_groups} - 1));
  for (uint32_t d = 0; d < parameter.ndim; ++d) {
    Expect(parameter.shape[d] >= 0,
           fmt::format("parameter {} has dimension {}: expected at least 0", spec.name, parameter.shape[d]));
    spec.shape.push_back(parameter.shape[d]);
  }
  Expect(spec.numel() == parameter.numel, fmt::format("parameter {} has numel {}, but its shape [{}] has {}", spec.name,
                                                      parameter.numel, fmt::join(spec.shape, ","), spec.numel()));
  Expect(parameter.numel == 0 || parameter.initial, fmt::format("parameter {} has no initial values", spec.name));
  result.precision = parameter.dtype == 0 ? usual : PrecisionOf(parameter.dtype);
  result.tied_to = static_cast<int>(parameter.tied_to) - 1;
  result.expert = static_cast<int>(std::min(parameter.expert, kLargestWorld + 1)) - 1;
  if ((parameter.flags & ~ZEROCTS_PARAMETER_BUFFER) != 0) {
    throw Unimplemented(fmt::format("parameter {} has flags {}: this build knows {} (buffer)", spec.name,
                                    parameter.flags, static_cast<unsigned>(ZEROCTS_PARAMETER_BUFFER)));
  }
  result.buffer = parameter.flags != 0;
  return result;
}

NativeOptions OptionsOf(const zerocts_open_args& args) {
  std::vector<std::pair<std::string, std::string>> options;
  for (uint32_t i = 0; i < args.n_options; ++i) options.emplace_back(args.options[i]->key, args.options[i]->value);
  return ParseOptions(options);
}

/// Those of slices(n), whose bits do not depend on the number of tensor ranks.
void RequireEvenParts(uint32_t parts) {
  OneOf<PartSizes>("tensor_parts", parts, {{ZEROCTS_PARTS_EVEN, PartSizes::kEven}});
}

/// 0 asks for fp32.
Precision SumsIn(uint32_t dtype) { return dtype == 0 ? Precision::kFp32 : PrecisionOf(dtype); }

EngineSettings SettingsOf(const zerocts_open_args& args, const NativeOptions& options) {
  const auto text = [](const char* given, const char* usual) { return given && *given ? std::string(given) : usual; };
  const std::string order = text(args.reduction_order, "any");

  EngineSettings settings;
  settings.stage = static_cast<int>(std::min<uint32_t>(args.stage, std::numeric_limits<int>::max()));
  settings.replicas = static_cast<int>(std::clamp<uint32_t>(args.replicas, 1, kLargestWorld + 1));
  settings.tensor = static_cast<int>(std::clamp<uint32_t>(args.tensor, 1, kLargestWorld + 1));
  settings.experts = static_cast<int>(std::clamp<uint32_t>(args.experts, 1, kLargestWorld + 1));
  settings.expert_divisor = OneOf<DivisorOfExperts>("expert_divisor", args.expert_divisor,
                                                    {{ZEROCTS_EXPERT_DIVISOR_WORLD, DivisorOfExperts::kWorld},
                                                     {ZEROCTS_EXPERT_DIVISOR_GROUP, DivisorOfExperts::kGroup}});
  RequireEvenParts(args.tensor_parts);
  if (options.strategy) RequireStrategy(*options.strategy, settings.stage, settings.replicas);
  settings.plan = text(args.plan, "contiguous");
  settings.bucket_cap_bytes = static_cast<int64_t>(args.bucket_cap_bytes);
  settings.offload = OneOf<OffloadMode>("offload", args.offload,
                                        {{ZEROCTS_OFFLOAD_NONE, OffloadMode::kNone},
                                         {ZEROCTS_OFFLOAD_PARAMS, OffloadMode::kParams},
                                         {ZEROCTS_OFFLOAD_FULL, OffloadMode::kFull}});
  settings.overlap = OneOf<bool>(
      "overlap", args.overlap,
      {{ZEROCTS_OVERLAP_ANY, options.device != "host"}, {ZEROCTS_OVERLAP_OFF, false}, {ZEROCTS_OVERLAP_ON, true}});

  settings.precision = PrecisionOf(args.param_dtype);
  for (uint32_t i = 0; i < args.n_parameters; ++i) {
    settings.parameters.push_back(ParameterOf(Known(args.parameters[i]), settings.precision, args.n_groups));
  }
  if (args.model) settings.model = ModelSpecFromText(args.model);
  settings.batch = args.batch;

  settings.micro_batches = static_cast<int>(args.micro_batches);
  settings.gradient_sync = OneOf<GradientSync>("gradient_sync", args.gradient_sync,
                                               {{ZEROCTS_SYNC_LAST_MICRO_BATCH, GradientSync::kLastMicroBatch},
                                                {ZEROCTS_SYNC_EVERY_MICRO_BATCH, GradientSync::kEveryMicroBatch}});
  settings.reduction_order = order == "any" ? "rank" : order;
  if (options.comm == "nccl-native" && (settings.reduction_order != "ring" || settings.replicas > 1)) {
    throw Unimplemented(
        fmt::format("option nccl_reduce=native adds in the order ring, and no replicas: got the order {} and {} "
                    "replicas; expected ring and 1, or nccl_reduce=exact",
                    settings.reduction_order, settings.replicas));
  }
  settings.accumulation = SumsIn(args.accumulation_dtype);
  settings.reduction = SumsIn(args.reduce_dtype);
  if (args.loss_scaling) settings.loss_scaling = LossScalingOf(Known(args.loss_scaling));

  settings.optimizer.kind = OptimizerOf(args.optimizer);
  for (uint32_t i = 0; i < args.n_groups; ++i) settings.groups.push_back(HyperParametersOf(Known(args.groups[i])));
  settings.max_norm = args.max_norm;
  settings.clip_epsilon = args.clip_epsilon;
  settings.clip_norm = OneOf<NormKind>("clip_norm", args.clip_norm,
                                       {{ZEROCTS_NORM_TWO, NormKind::kTwo},
                                        {ZEROCTS_NORM_ONE, NormKind::kOne},
                                        {ZEROCTS_NORM_INFINITY, NormKind::kInfinity}});
  settings.clip_formula = OneOf<ClipFormula>("clip_formula", args.clip_formula,
                                             {{ZEROCTS_CLIP_MIN, ClipFormula::kMin},
                                              {ZEROCTS_CLIP_TORCH, ClipFormula::kTorch},
                                              {ZEROCTS_CLIP_ABOVE, ClipFormula::kAbove},
                                              {ZEROCTS_CLIP_DEEPSPEED, ClipFormula::kDeepSpeed},
                                              {ZEROCTS_CLIP_DEEPSPEED_FP64, ClipFormula::kDeepSpeedFp64},
                                              {ZEROCTS_CLIP_DEEPSPEED_RECIPROCAL, ClipFormula::kDeepSpeedReciprocal}});
  return settings;
}

CommunicatorSettings TransportOf(const zerocts_open_args& args, const NativeOptions& options, Device& device) {
  CommunicatorSettings settings;
  settings.rank = static_cast<int>(args.rank);
  settings.world_size = static_cast<int>(args.world_size);
  settings.deadline = std::chrono::milliseconds(args.deadline_ms);
  settings.store = StoreOf(*args.host, settings.deadline);
  settings.device = &device;
  settings.ranks_share_process = args.host->ranks_share_process != 0;
  settings.progress = ProgressOf(*args.host);
  settings.log = LogOf(*args.host);
  settings.nccl_shares_gpu = options.nccl_shares_gpu;
  settings.nccl_registers = options.nccl_registers;
  settings.ranks_per_host = options.ranks_per_host;
  return settings;
}

}  // namespace

HyperParameters HyperParametersOf(const zerocts_group& group) {
  HyperParameters values;
  values.lr = group.lr;
  values.weight_decay = group.weight_decay;
  values.momentum = group.momentum;
  values.beta1 = group.beta1;
  values.beta2 = group.beta2;
  values.eps = group.eps;
  values.dampening = group.dampening;
  values.nesterov = group.nesterov != 0;
  return values;
}

std::unique_ptr<zerocts_engine> OpenEngine(const zerocts_open_args& given) {
  // Everything that can be refused is refused before ranks wait for each other, so that all refuse alike.
  const zerocts_open_args args = Known(&given);
  RequireHost(args.host);
  RequireSensible(args);
  const NativeOptions options = OptionsOf(args);
  const EngineSettings settings = SettingsOf(args, options);
  const auto rank = static_cast<int>(args.rank), world_size = static_cast<int>(args.world_size);
  const MemoryLedger estimate = EstimateMemory(settings, rank, world_size);

  auto opened = std::make_unique<zerocts_engine>(*args.host, rank, world_size);
  opened->estimate = estimate;
  DeviceSettings device = options.device_settings;
  device.overlap = settings.overlap;
  device.rank = rank;
  opened->device = MakeDevice(options.device, opened->memory, device);
  opened->groups = MakeRankGroups(options.comm, TransportOf(args, options, *opened->device), settings);
  std::vector<const float*> initial;
  for (uint32_t i = 0; i < args.n_parameters; ++i) initial.push_back(args.parameters[i]->initial);
  opened->engine = std::make_unique<Engine>(settings, rank, world_size, opened->groups.dense.groups(), *opened->device,
                                            initial, opened->groups.of_expert());
  return opened;
}

}  // namespace zerocts::engine
