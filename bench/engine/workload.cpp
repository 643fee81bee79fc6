#include "bench/engine/workload.hpp"

#include <algorithm>

#include "reference/numerics/bf16.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr float kScale = 0.015625f;  // of weights and gradients

}  // namespace

int64_t UsualBatch(const std::string& model) { return model == "tiny" ? 8 : model == "small" ? 4 : 1; }

GptSpec Workload::spec() const {
  GptSpec spec = GptSize(model);
  spec.slice_order.slices = slices;
  spec.vocab_parallel = vocab_parallel;
  spec.sequence_parallel = sequence_parallel;
  return spec;
}

engine::EngineSettings SettingsOf(const Workload& workload) {
  engine::EngineSettings settings;
  settings.stage = workload.stage;
  settings.tensor = workload.tensor;
  settings.plan = workload.plan;
  settings.overlap = workload.overlap;
  settings.precision = workload.precision;
  settings.optimizer = Optimizer(OptimizerKind::kAdamW);
  const GptSpec spec = workload.spec();
  for (const ParameterSpec& parameter : ModelParameters(spec)) {
    settings.parameters.push_back({.spec = parameter, .precision = workload.precision});
  }
  if (workload.computes) {
    settings.model = spec;
    settings.batch = workload.batch;
  }
  settings.groups = {{.lr = 1e-4f, .weight_decay = 0.1f, .beta2 = 0.95f}, {.lr = 1e-4f, .beta2 = 0.95f}};
  return settings;
}

int64_t NumelOf(const engine::EngineSettings& settings) {
  int64_t numel = 0;
  for (const engine::EngineParameter& parameter : settings.parameters) numel += parameter.spec.numel();
  return numel;
}

TensorValues::TensorValues(const engine::EngineSettings& settings, uint64_t seed) : parameters_(settings.parameters) {
  int64_t largest = 0;
  for (const engine::EngineParameter& parameter : parameters_) largest = std::max(largest, parameter.spec.numel());
  for (int64_t i = 0; i < largest; ++i) {
    wide_.push_back(kScale * RandomUniform(seed, 0, static_cast<uint64_t>(i)));
    if (settings.precision == Precision::kBf16) narrow_.push_back(ToBf16(wide_.back()));
  }
}

std::vector<const float*> TensorValues::initial() const {
  return std::vector<const float*>(parameters_.size(), wide_.data());
}

std::vector<const void*> TensorValues::gradients() const {
  std::vector<const void*> gradients;
  for (const engine::EngineParameter& parameter : parameters_) {
    const bool narrow = parameter.precision == Precision::kBf16;
    gradients.push_back(narrow ? static_cast<const void*>(narrow_.data()) : wide_.data());
  }
  return gradients;
}

TokenBatch TokensOf(const Workload& workload, uint64_t seed) {
  const GptSpec spec = workload.spec();
  const auto draw = [&](uint64_t stream) {
    std::vector<int32_t> tokens(static_cast<size_t>(workload.batch * spec.context));
    for (size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = static_cast<int32_t>(RandomBelow(seed, stream, i, static_cast<uint64_t>(spec.vocab)));
    }
    return tokens;
  };
  return {draw(1), draw(2)};
}

}  // namespace zerocts
