#include "impl/subject/open_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"
#include "impl/stages/strategy.hpp"
#include "impl/subject/model_json.hpp"
#include "impl/subject/options.hpp"

namespace zerocts {
namespace {

constexpr uint32_t kMostMicroBatches = 1u << 20;

void Expect(bool holds, const std::string& sentence) {
  if (!holds) throw std::invalid_argument(sentence);
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
  Expect(args.max_norm >= 0,
         fmt::format("max_norm is {}: expected 0 (no clipping) or a positive number", args.max_norm));
  Expect(args.clip_epsilon >= 0,
         fmt::format("clip_epsilon is {}: expected a number that is not negative", args.clip_epsilon));
  Expect(args.deadline_ms >= 1, "deadline_ms is 0: expected at least 1");
  if (args.bucket_cap_bytes != 0) {
    throw Unimplemented(
        fmt::format("bucket_cap_bytes is {}: this subject has no buckets, expected 0", args.bucket_cap_bytes));
  }
}

Precision PrecisionOf(uint32_t param_dtype) {
  if (param_dtype == ZEROCTS_FP32) return Precision::kFp32;
  if (param_dtype == ZEROCTS_BF16) return Precision::kBf16;
  throw Unimplemented(fmt::format("param_dtype {} is not in this build, which has fp32 ({}) and bf16 ({})", param_dtype,
                                  static_cast<int>(ZEROCTS_FP32), static_cast<int>(ZEROCTS_BF16)));
}

OptimizerKind OptimizerOf(uint32_t optimizer) {
  if (optimizer == ZEROCTS_SGD) return OptimizerKind::kSgd;
  if (optimizer == ZEROCTS_ADAMW) return OptimizerKind::kAdamW;
  throw Unimplemented(fmt::format("optimizer {} is not in this build, which has sgd ({}) and adamw ({})", optimizer,
                                  static_cast<int>(ZEROCTS_SGD), static_cast<int>(ZEROCTS_ADAMW)));
}

int StageOf(const zerocts_open_args& args, const NativeOptions& options) {
  const int stage = static_cast<int>(std::min<uint32_t>(args.stage, std::numeric_limits<int>::max()));
  RequireStage(stage);
  if (options.strategy) {
    const int stage_of_strategy = StageOfStrategy(*options.strategy);
    Expect(stage_of_strategy == stage,
           fmt::format("strategy {} is stage {}, but stage {} was asked", *options.strategy, stage_of_strategy, stage));
  }
  return stage;
}

ParameterSpec ParameterOf(const zerocts_parameter& parameter, uint32_t n_groups) {
  ParameterSpec spec;
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
  return spec;
}

NativeOptions OptionsOf(const zerocts_open_args& args) {
  std::vector<std::pair<std::string, std::string>> options;
  for (uint32_t i = 0; i < args.n_options; ++i) options.emplace_back(args.options[i]->key, args.options[i]->value);
  return ParseOptions(options);
}

EngineSettings SettingsOf(const zerocts_open_args& args, const NativeOptions& options) {
  const std::string order = args.reduction_order ? args.reduction_order : "any";
  const std::string plan = args.plan ? args.plan : "";

  EngineSettings settings;
  settings.stage = StageOf(args, options);
  settings.plan = plan.empty() ? "contiguous" : plan;
  settings.reduction_order = order == "any" || order.empty() ? "rank" : order;
  settings.precision = PrecisionOf(args.param_dtype);
  settings.optimizer = OptimizerOf(args.optimizer);
  settings.micro_batches = static_cast<int>(args.micro_batches);
  settings.max_norm = args.max_norm;
  settings.clip_epsilon = args.clip_epsilon;
  for (uint32_t i = 0; i < args.n_groups; ++i) settings.groups.push_back(HyperParametersOf(*args.groups[i]));
  for (uint32_t i = 0; i < args.n_parameters; ++i)
    settings.parameters.push_back(ParameterOf(*args.parameters[i], args.n_groups));
  if (args.model) settings.model = ModelSpecFromText(args.model);
  return settings;
}

CommunicatorSettings TransportOf(const zerocts_open_args& args, Device& device) {
  CommunicatorSettings settings;
  settings.rank = static_cast<int>(args.rank);
  settings.world_size = static_cast<int>(args.world_size);
  settings.deadline = std::chrono::milliseconds(args.deadline_ms);
  settings.rendezvous = RendezvousOf(*args.host, settings.deadline);
  settings.device = &device;
  settings.ranks_share_process = args.host->ranks_share_process != 0;
  settings.progress = ProgressOf(*args.host);
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
  return values;
}

std::unique_ptr<zerocts_engine> OpenEngine(const zerocts_open_args& args) {
  // Everything that can be refused is refused before ranks wait for each other, so that all refuse alike.
  RequireHost(args.host);
  RequireSensible(args);
  const NativeOptions options = OptionsOf(args);
  const EngineSettings settings = SettingsOf(args, options);
  RequireServed(settings);

  auto opened = std::make_unique<zerocts_engine>(*args.host);
  opened->device = MakeDevice(options.device, opened->memory);
  opened->comm = MakeCommunicator(options.comm, TransportOf(args, *opened->device));
  std::vector<const float*> initial;
  for (uint32_t i = 0; i < args.n_parameters; ++i) initial.push_back(args.parameters[i]->initial);
  opened->engine = MakeEngine(settings, *opened->comm, *opened->device, initial);
  return opened;
}

}  // namespace zerocts
