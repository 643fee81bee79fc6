#include "training.hpp"

#include <bit>
#include <cstdint>

namespace ze = zerocts::engine;

namespace {

const std::vector<int64_t> kSizes = {7, 1, 35};

const std::vector<ze::HyperParameters> kGroups = {
    {.lr = 0.0625f, .weight_decay = 0.125f},
    {.lr = 0.01f, .beta1 = 0.8f},
};

int GroupOf(size_t tensor) { return tensor == 1 ? 1 : 0; }

/// Values that bf16 has.
float Bf16Value(int64_t number) { return static_cast<float>(number % 127 - 63) / 16.0f; }

uint16_t BitsOfBf16(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16); }

}  // namespace

Tensors InitialParameters() {
  Tensors initial;
  for (const int64_t size : kSizes) {
    std::vector<float>& tensor = initial.emplace_back();
    for (int64_t i = 0; i < size; ++i) tensor.push_back(Bf16Value(11 * i + size));
  }
  return initial;
}

Tensors Gradients(int step, int rank) {
  Tensors gradients;
  for (const int64_t size : kSizes) {
    std::vector<float>& tensor = gradients.emplace_back();
    const float scale = rank == 1 ? 256.0f : 1.0f;  // so that sums are rounded
    for (int64_t i = 0; i < size; ++i) tensor.push_back(Bf16Value(37 * i + 101 * step + 53 * rank + size) * scale);
  }
  return gradients;
}

ze::EngineSettings Settings(int stage, const std::string& plan, ze::Precision precision) {
  ze::EngineSettings settings;
  settings.stage = stage;
  settings.plan = plan;
  settings.bucket_bytes = 64;
  settings.optimizer = ze::OptimizerKind::kAdamW;
  settings.groups = kGroups;
  settings.reduction = precision;
  for (size_t p = 0; p < kSizes.size(); ++p) {
    settings.parameters.push_back({"parameter " + std::to_string(p), {kSizes[p]}, GroupOf(p), precision});
  }
  return settings;
}

Tensors TrainWithEngine(const ze::Communicator& ranks, const ze::EngineSettings& settings) {
  ze::Engine engine(ranks, settings, InitialParameters());
  for (int step = 0; step < kSteps; ++step) {
    engine.Accumulate(Gradients(step, ranks.rank()));
    engine.Step();
  }
  return engine.GatherParameters();
}

Tensors TrainAlone(ze::EngineSettings settings, int world_size) {
  settings.micro_batches = world_size;
  settings.mesh = {};
  ze::Engine engine(ze::Communicator::Alone(), settings, InitialParameters());
  for (int step = 0; step < kSteps; ++step) {
    for (int rank = 0; rank < world_size; ++rank) engine.Accumulate(Gradients(step, rank));
    engine.Step();
  }
  return engine.GatherParameters();
}

Tensors TrainWithBuffers(const ze::Communicator& ranks, ze::Precision precision) {
  ze::Buffer parameters(ranks, kSizes, precision), gradients(ranks, kSizes, precision);
  const Tensors initial = InitialParameters();
  ze::OptimizerSettings settings;
  settings.optimizer = ze::OptimizerKind::kAdamW;
  settings.groups = kGroups;
  for (size_t t = 0; t < kSizes.size(); ++t) {
    parameters.Write(static_cast<int>(t), initial[t]);
    settings.group_of_tensor.push_back(GroupOf(t));
  }
  ze::DistributedOptimizer optimizer(parameters, gradients, settings);
  for (int step = 0; step < kSteps; ++step) {
    const Tensors values = Gradients(step, ranks.rank());
    for (size_t t = 0; t < kSizes.size(); ++t) {
      std::vector<uint16_t> narrow;
      for (const float value : values[t]) narrow.push_back(BitsOfBf16(value));
      const bool bf16 = precision == ze::Precision::kBf16;
      gradients.Accumulate(static_cast<int>(t), bf16 ? static_cast<const void*>(narrow.data()) : values[t].data());
    }
    optimizer.Step();
  }
  Tensors trained;
  for (size_t t = 0; t < kSizes.size(); ++t) trained.push_back(parameters.Read(static_cast<int>(t)));
  return trained;
}
