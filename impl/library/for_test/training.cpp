#include "impl/library/for_test/training.hpp"

#include <bit>

namespace zerocts::library {
namespace {

float Bf16Value(int64_t number) { return static_cast<float>(number % 127 - 63) / 16.0f; }

}  // namespace

Tensors InitialTensors() {
  Tensors tensors;
  for (const int64_t size : kSizes) {
    std::vector<float>& values = tensors.emplace_back();
    for (int64_t i = 0; i < size; ++i) values.push_back(Bf16Value(11 * i + size));
  }
  return tensors;
}

Tensors GradientsOf(int step, int rank) {
  Tensors tensors;
  const float scale = rank % 3 == 1 ? 1 << 18 : 1;
  for (const int64_t size : kSizes) {
    std::vector<float>& values = tensors.emplace_back();
    for (int64_t i = 0; i < size; ++i) values.push_back(Bf16Value(37 * i + 101 * step + 53 * rank + size) * scale);
  }
  return tensors;
}

EngineSettings SettingsOf(int stage, const std::string& plan, Precision precision) {
  EngineSettings settings;
  settings.stage = stage;
  settings.plan = plan;
  settings.bucket_bytes = 64;
  settings.reduction = precision;
  settings.groups = {{.lr = 0.0625f, .weight_decay = 0.125f}, {.lr = 0.01f, .beta1 = 0.8f}};
  for (size_t p = 0; p < kSizes.size(); ++p) {
    settings.parameters.push_back({"p" + std::to_string(p), {kSizes[p]}, static_cast<int>(p % 2), precision});
  }
  return settings;
}

Tensors TrainOn(const Communicator& ranks, const EngineSettings& settings) {
  Engine engine(ranks, settings, InitialTensors());
  for (int step = 0; step < kSteps; ++step) {
    engine.Accumulate(GradientsOf(step, ranks.rank()));
    engine.Step();
  }
  return engine.GatherParameters();
}

Tensors TrainAlone(EngineSettings settings, int world_size) {
  settings.micro_batches = world_size;
  settings.mesh = {};
  Engine engine(Communicator::Alone(), settings, InitialTensors());
  for (int step = 0; step < kSteps; ++step) {
    for (int rank = 0; rank < world_size; ++rank) engine.Accumulate(GradientsOf(step, rank));
    engine.Step();
  }
  return engine.GatherParameters();
}

std::vector<std::vector<uint32_t>> BitsOf(const Tensors& tensors) {
  std::vector<std::vector<uint32_t>> bits;
  for (const auto& values : tensors) {
    auto& of_tensor = bits.emplace_back();
    for (const float value : values) of_tensor.push_back(std::bit_cast<uint32_t>(value));
  }
  return bits;
}

}  // namespace zerocts::library
