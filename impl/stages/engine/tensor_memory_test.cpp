// What tensor ranks hold, with what they give each other.
#include <gtest/gtest.h>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/stages/engine/engine.hpp"
#include "impl/stages/engine/memory_estimate.hpp"
#include "impl/stages/rank/mesh_groups.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::seconds;

constexpr SliceOrder kSixSlices{.slices = 6};
const MlpSpec kSplitMlp{.vocab = 7, .context = 2, .embedding = 3, .hidden = {13, 5}, .slice_order = kSixSlices};
const GptSpec kSplitGpt{.vocab = 7, .context = 5, .layers = 2, .heads = 6, .width = 12, .slice_order = kSixSlices};

/// The same training; what tensor ranks split, and with how many slices, differs.
std::vector<ModelSpec> SplitModels() {
  GptSpec by_tokens = kSplitGpt, by_positions = kSplitGpt, by_both = kSplitGpt, grouped = kSplitGpt;
  grouped.heads = 12;
  by_tokens.vocab_parallel = by_both.vocab_parallel = true;
  by_positions.sequence_parallel = by_both.sequence_parallel = true;
  by_both.tied = false;
  MlpSpec of_tokens = kSplitMlp;
  of_tokens.hidden = {5, 4, 3};
  of_tokens.vocab_parallel = true;
  return {kSplitMlp, of_tokens, kSplitGpt, by_tokens, by_positions, by_both, grouped};
}

EngineSettings SplitSettings(const ModelSpec& model, int tensor) {
  EngineSettings settings;
  settings.model = model;
  settings.tensor = tensor;
  settings.batch = 3;
  settings.optimizer.kind = OptimizerKind::kAdamW;
  settings.groups = {{.lr = 0.5f}, {.lr = 0.5f}};
  for (const ParameterSpec& spec : ModelParameters(model)) settings.parameters.push_back({.spec = spec});
  return settings;
}

/// [world_size], after one step.
std::vector<MemoryLedger> HeldAfterAStep(const EngineSettings& settings, int world_size) {
  std::vector<MemoryLedger> held(world_size);
  const auto sentences = RunOnThreads(world_size, seconds(10), [&](TestRank& self) {
    const MeshGroups comms = MakeMeshGroups("threads", self.settings, settings.replicas, settings.tensor);
    std::vector<std::vector<float>> initial;
    std::vector<const float*> pointers;
    for (const EngineParameter& parameter : settings.parameters) initial.emplace_back(parameter.spec.numel(), 0.125f);
    for (const auto& values : initial) pointers.push_back(values.data());
    Engine engine(settings, self.rank, world_size, comms.groups(), self.device, pointers);
    const std::vector<int32_t> tokens(settings.batch * ContextOf(*settings.model), 1);
    engine.ForwardBackward(0, 0, tokens.data(), tokens.data(), settings.batch, ContextOf(*settings.model));
    engine.Step(0);
    held[self.rank] = engine.memory();
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
  return held;
}

TEST(MemoryOfTensorRanks, IsWhatWasEstimated) {
  for (const ModelSpec& model : SplitModels()) {
    for (const int tensor : {2, 3}) {
      EngineSettings settings = SplitSettings(model, tensor);
      settings.stage = tensor;
      settings.replicas = tensor == 2 ? 1 : 2;
      const int world_size = tensor * 2;
      const std::vector<MemoryLedger> held = HeldAfterAStep(settings, world_size);
      for (int rank = 0; rank < world_size; ++rank) {
        const MemoryLedger estimate = EstimateMemory(settings, rank, world_size);
        for (const MemoryKind kind :
             {MemoryKind::kParameter, MemoryKind::kGradient, MemoryKind::kOptimizer, MemoryKind::kBuffer}) {
          EXPECT_EQ(held[rank][kind], estimate[kind]) << rank << " of " << world_size << " " << static_cast<int>(kind);
        }
        EXPECT_EQ(held[rank].peak(), estimate.peak());
      }
    }
  }
}

/// Sums of six slices of 3 rows of 13 floats, which every rank has.
TEST(MemoryOfTensorRanks, HasTheWindowOfTheLargestSum) {
  EngineSettings settings = SplitSettings(
      MlpSpec{.vocab = 13, .context = 1, .embedding = 2, .hidden = {6, 6, 6}, .slice_order = kSixSlices}, 2);
  const int64_t known = EstimateMemory(settings, 1, 2)[MemoryKind::kBuffer];
  settings.batch = 0;
  EXPECT_EQ(known - EstimateMemory(settings, 1, 2)[MemoryKind::kBuffer], 6 * 3 * 13 * 4);
}

}  // namespace
}  // namespace zerocts::engine
