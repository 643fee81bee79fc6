// What a step moves, counted where it is copied, against the paper's formulas (impl/layout/plan_costs.hpp).
#include <gtest/gtest.h>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/layout/plan_costs.hpp"
#include "impl/layout/plans.hpp"
#include "impl/stages/for_test/engines.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::seconds;

struct Moved {
  Traffic shard, replicate;
  Layout layout;
};

Traffic::Count operator-(const Traffic::Count& a, const Traffic::Count& b) {
  return {a.calls - b.calls, a.sent_bytes - b.sent_bytes, a.received_bytes - b.received_bytes};
}
Traffic operator-(const Traffic& a, const Traffic& b) {
  return {a.all_gather - b.all_gather, a.reduce_scatter - b.reduce_scatter, a.all_reduce - b.all_reduce};
}

/// What each rank moved in one step of a small GPT, [world_size].
std::vector<Moved> MovedInOneStep(const EngineSettings& settings, int world_size) {
  std::vector<Moved> moved(world_size);
  const auto sentences = RunOnThreads(world_size, seconds(60), [&](TestRank& self) {
    const MeshGroups comms = MakeMeshGroups("threads", self.settings, settings.replicas);
    std::vector<std::vector<float>> initial;
    std::vector<const float*> pointers;
    for (const EngineParameter& parameter : settings.parameters) initial.emplace_back(parameter.spec.numel(), 0.125f);
    for (const auto& values : initial) pointers.push_back(values.data());
    Engine engine(settings, self.rank, world_size, comms.groups(), self.device, pointers);
    const Traffic shard = comms.shard->traffic(), replicate = comms.replicate->traffic();
    const std::vector<int32_t> tokens(2 * 3, 1);
    for (int k = 0; k < settings.micro_batches; ++k) engine.ForwardBackward(0, k, tokens.data(), tokens.data(), 2, 3);
    engine.Step(0);
    moved[self.rank] = {comms.shard->traffic() - shard, comms.replicate->traffic() - replicate, engine.layout()};
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
  return moved;
}

EngineSettings SettingsOf(int stage, const std::string& plan, Precision precision, bool tied) {
  const ModelSpec model = GptSpec{.vocab = 7, .context = 3, .layers = 2, .heads = 2, .width = 6, .tied = tied};
  EngineSettings settings;
  settings.stage = stage;
  settings.plan = plan;
  settings.model = model;
  settings.precision = settings.reduction = precision;
  settings.optimizer.kind = OptimizerKind::kAdamW;
  settings.groups = {{.lr = 0.5f}, {.lr = 0.5f}};
  for (const ParameterSpec& spec : ModelParameters(model)) {
    settings.parameters.push_back({.spec = spec, .precision = precision});
  }
  return settings;
}

void ExpectMoved(const EngineSettings& settings, int world_size) {
  const std::vector<Moved> moved = MovedInOneStep(settings, world_size);
  CostSettings formula;
  formula.stage = settings.stage;
  formula.parameters = formula.gradients = settings.precision;
  formula.micro_batches = settings.micro_batches;
  formula.reduce_each_micro_batch = settings.gradient_sync == GradientSync::kEveryMicroBatch;
  formula.replicas = settings.replicas;
  const PlanCosts costs = CostsOf(moved[0].layout, formula);
  for (int rank = 0; rank < world_size; ++rank) {
    const RankCosts& expected = costs.ranks[rank];
    const Traffic& got = moved[rank].shard;
    const std::string where =
        settings.plan + " stage " + std::to_string(settings.stage) + " rank " + std::to_string(rank);
    EXPECT_EQ(got.reduce_scatter.sent_bytes, expected.reduce_scatter.sent_bytes) << where;
    EXPECT_EQ(got.reduce_scatter.received_bytes, expected.reduce_scatter.received_bytes) << where;
    EXPECT_EQ(got.all_gather.sent_bytes, expected.all_gather.sent_bytes) << where;
    EXPECT_EQ(got.all_gather.received_bytes, expected.all_gather.received_bytes) << where;
  }
}

TEST(Traffic, IsThePapersInEveryStageAndPlan) {
  for (const int stage : {0, 1, 2, 3}) {
    for (const std::string& plan : PlanNames())
      ExpectMoved(SettingsOf(stage, plan, Precision::kFp32, stage % 2 == 0), 3);
  }
}

TEST(Traffic, IsThePapersOnHundredsOfRanks) {
  for (const int world_size : {8, 16, 64, 256, 512}) {
    for (const int stage : {1, 2, 3}) ExpectMoved(SettingsOf(stage, "contiguous", Precision::kFp32, true), world_size);
  }
}

TEST(Traffic, IsHalfInBf16) {
  for (const int stage : {1, 2, 3}) ExpectMoved(SettingsOf(stage, "padded", Precision::kBf16, true), 3);
}

TEST(Traffic, OfGradientsIsMadeOncePerStepOrOncePerMicroBatch) {
  for (const int stage : {1, 2}) {
    EngineSettings settings = SettingsOf(stage, "contiguous", Precision::kFp32, true);
    settings.micro_batches = 3;
    ExpectMoved(settings, 3);
    settings.gradient_sync = GradientSync::kEveryMicroBatch;
    ExpectMoved(settings, 3);
  }
}

TEST(Traffic, OfStage3IsOneAllGatherMoreThanOfStage2) {
  for (const bool tied : {true, false}) {
    const Moved two = MovedInOneStep(SettingsOf(2, "padded", Precision::kFp32, tied), 4)[1];
    const Moved three = MovedInOneStep(SettingsOf(3, "padded", Precision::kFp32, tied), 4)[1];
    EXPECT_EQ(three.shard.all_gather.received_bytes, 2 * two.shard.all_gather.received_bytes);
    EXPECT_EQ(three.shard.reduce_scatter.received_bytes, two.shard.reduce_scatter.received_bytes);
  }
}

}  // namespace
}  // namespace zerocts::engine
