// Small examples with numbers worked out by hand.
#include "impl/stages/engine/engine.hpp"

#include <gtest/gtest.h>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/layout/unimplemented.hpp"
#include "impl/stages/for_test/engines.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::seconds;

class AllStages : public testing::TestWithParam<int> {
 protected:
  /// Five elements on three ranks: shards of 2, 2 and 1 with a boundary inside both parameters.
  TestRun ThreeRanks() const {
    TestRun run;
    run.settings = SettingsFor({3, 2});
    run.settings.stage = GetParam();
    run.settings.groups[0].lr = 0.5f;
    run.world_size = 3;
    run.initial = {{10, 20, 30}, {40, 50}};
    return run;
  }
};
INSTANTIATE_TEST_SUITE_P(Stages, AllStages, testing::Values(0, 1, 2, 3));

TEST_P(AllStages, SgdOnTheMeanOfAllMicroBatches) {
  TestRun run = ThreeRanks();
  run.settings.micro_batches = 2;
  // The six micro-batches of element e = 3 p + i give e * (0 + 1 + .. + 5), so the mean is 2.5 e.
  run.gradient = [](int64_t, int64_t g, int p, int64_t i) { return static_cast<float>((3 * p + i) * g); };
  const Snapshot after = RunSteps(run).at(0);
  EXPECT_EQ(after.states.at("gradient"), BitsOf({{0, 2.5f, 5}, {7.5f, 10}}));
  EXPECT_EQ(after.parameters, BitsOf({{10, 18.75f, 27.5f}, {36.25f, 45}}));
  EXPECT_EQ(after.states.at("master"), after.parameters);
  EXPECT_EQ(after.clip_coefficient, Bits(1.0f));
}

TEST_P(AllStages, SumTakesThePlaceOfTheMean) {
  TestRun run = ThreeRanks();
  run.settings.micro_batches = 2;
  run.settings.sum_gradients = true;
  run.gradient = [](int64_t, int64_t g, int p, int64_t i) { return static_cast<float>((3 * p + i) * g); };
  for (const GradientSync sync : {GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch}) {
    run.settings.gradient_sync = sync;
    EXPECT_EQ(RunSteps(run).at(0).states.at("gradient"), BitsOf({{0, 15, 30}, {45, 60}}));
  }
}

TEST_P(AllStages, GradientsThatAreSyncedBeforeTheStepAreReadAndClipped) {
  TestRun run = ThreeRanks();
  run.settings.clip_epsilon = 0;
  run.steps = 2;
  run.settings.loss_scaling = {.kind = LossScaleKind::kStatic, .scale = 2};  // taken out once
  run.gradient = [](int64_t, int64_t, int p, int64_t i) { return p == i ? 3.0f + static_cast<float>(p) : 0.0f; };
  run.before_step = [](Engine& engine, int64_t step) {
    if (step == 1) return engine.SetMaxNorm(0);
    EXPECT_EQ(engine.SyncGradients(0), 5.0f);
    EXPECT_EQ(engine.SyncGradients(0), 5.0f);
    for (const ElementRange& range : engine.Owned(0)) {
      if (range.begin > 0) continue;
      float first = 0;
      engine.ReadState("gradient", 0, {0, 1}, &first);
      EXPECT_EQ(first, 3.0f);
    }
    EXPECT_THROW(engine.SyncGradients(1), std::invalid_argument);
    engine.SetMaxNorm(2.5f);
  };
  const auto snapshots = RunSteps(run);
  EXPECT_EQ(snapshots[0].clip_coefficient, Bits(0.5f));
  EXPECT_EQ(snapshots[0].parameters, BitsOf({{9.25f, 20, 30}, {40, 49}}));
  EXPECT_EQ(snapshots[1].clip_coefficient, Bits(1.0f));
  EXPECT_EQ(snapshots[1].parameters, BitsOf({{7.75f, 20, 30}, {40, 47}}));
}

TEST_P(AllStages, MomentumLivesFromStepToStep) {
  TestRun run = ThreeRanks();
  run.settings.groups[0].momentum = 0.5f;
  run.steps = 2;
  run.gradient = [](int64_t step, int64_t, int, int64_t) { return step == 0 ? 4.0f : 0.0f; };
  const auto snapshots = RunSteps(run);
  EXPECT_EQ(snapshots[0].parameters, BitsOf({{8, 18, 28}, {38, 48}}));
  EXPECT_EQ(snapshots[1].states.at("momentum"), BitsOf({{2, 2, 2}, {2, 2}}));
  EXPECT_EQ(snapshots[1].parameters, BitsOf({{7, 17, 27}, {37, 47}}));
}

TEST_P(AllStages, AdamWCorrectsTheBiasOfEveryStep) {
  TestRun run = ThreeRanks();
  run.settings.optimizer.kind = OptimizerKind::kAdamW;
  run.settings.groups[0] = {.lr = 0.5f, .beta1 = 0.5f, .beta2 = 0.75f, .eps = 0};
  run.steps = 3;
  run.gradient = [](int64_t, int64_t, int, int64_t) {
    return 2.0f;
  };  // corrected moments are 2 and 4 in every step, so each update is lr
  const auto snapshots = RunSteps(run);
  EXPECT_EQ(snapshots[0].states.at("exp_avg"), BitsOf({{1, 1, 1}, {1, 1}}));
  EXPECT_EQ(snapshots[0].parameters, BitsOf({{9.5f, 19.5f, 29.5f}, {39.5f, 49.5f}}));
  EXPECT_EQ(snapshots[1].states.at("exp_avg_sq"), BitsOf({{1.75f, 1.75f, 1.75f}, {1.75f, 1.75f}}));
  EXPECT_EQ(snapshots[2].parameters, BitsOf({{8.5f, 18.5f, 28.5f}, {38.5f, 48.5f}}));
}

TEST_P(AllStages, RanksAreAddedFromTheFirstOrAroundTheRingToTheOwner) {
  TestRun run = ThreeRanks();
  run.settings.parameters.pop_back();
  run.initial.pop_back();  // one element per rank
  run.gradient = [](int64_t, int64_t g, int, int64_t) { return g == 0 ? 3e8f : g == 1 ? 3.0f : -3e8f; };
  EXPECT_EQ(RunSteps(run).at(0).states.at("gradient"), BitsOf({{0, 0, 0}})) << "(3e8 + 3) - 3e8";
  run.settings.reduction_order = "ring";
  EXPECT_EQ(RunSteps(run).at(0).states.at("gradient"), BitsOf({{0, 1, 0}})) << "rank 1 adds (-3e8 + 3e8) + 3";
}

TEST_P(AllStages, ClipsByTheNormOfAllShardsTogether) {
  TestRun run = ThreeRanks();
  run.settings.max_norm = 2.5f;
  run.settings.clip_epsilon = 0;
  run.gradient = [](int64_t, int64_t, int p, int64_t i) {
    return p == 0 && i == 0 ? 3.0f : p == 1 && i == 1 ? 4.0f : 0.0f;
  };
  const Snapshot after = RunSteps(run).at(0);
  EXPECT_EQ(after.grad_norm, Bits(5.0f));
  EXPECT_EQ(after.clip_coefficient, Bits(0.5f));
  EXPECT_EQ(after.states.at("gradient"), BitsOf({{3, 0, 0}, {0, 4}})) << "the gradient is read before clipping";
  EXPECT_EQ(after.parameters, BitsOf({{9.25f, 20, 30}, {40, 49}}));
}

TEST_P(AllStages, GroupsHaveTheirOwnHyperParametersAndMayChangeThem) {
  TestRun run = ThreeRanks();
  run.settings.groups = {run.settings.groups[0], run.settings.groups[0], run.settings.groups[0]};
  run.settings.groups[1].lr = 0;
  run.settings.parameters[1].spec.group = 1;  // group 2 has no parameter
  run.steps = 2;
  run.gradient = [](int64_t, int64_t, int, int64_t) { return 2.0f; };
  run.before_step = [](Engine& engine, int64_t step) {
    if (step == 1) engine.SetGroup(1, {.lr = 4});
  };
  const auto snapshots = RunSteps(run);
  EXPECT_EQ(snapshots[0].parameters, BitsOf({{9, 19, 29}, {40, 50}}));
  EXPECT_EQ(snapshots[1].parameters, BitsOf({{8, 18, 28}, {32, 42}}));
}

TEST_P(AllStages, Bf16ParametersAreRoundedMasters) {
  TestRun run = ThreeRanks();
  run.settings.precision = Precision::kBf16;
  run.settings.groups[0].lr = 1.0f / 1024;  // too small a change for bf16, but masters keep it
  run.steps = 3;
  run.gradient = [](int64_t, int64_t, int, int64_t) { return -32.0f; };
  const auto snapshots = RunSteps(run);
  EXPECT_EQ(snapshots[0].states.at("master"), BitsOf({{10.03125f, 20.03125f, 30.03125f}, {40.03125f, 50.03125f}}));
  EXPECT_EQ(snapshots[0].parameters, BitsOf({{10, 20, 30}, {40, 50}}));
  EXPECT_EQ(snapshots[2].states.at("master"), BitsOf({{10.09375f, 20.09375f, 30.09375f}, {40.09375f, 50.09375f}}));
  EXPECT_EQ(snapshots[2].parameters, BitsOf({{10.125f, 20.125f, 30.125f}, {40, 50}}));
}

TEST_P(AllStages, NaNIsNaNWhateverItsBits) {
  TestRun run = ThreeRanks();
  run.gradient = [](int64_t, int64_t g, int, int64_t i) { return g == 0 && i == 1 ? FromBits(kCanonicalNan) : 1.0f; };
  const auto expected = RunSteps(run);
  run.gradient = [](int64_t, int64_t g, int, int64_t i) { return g == 0 && i == 1 ? -FromBits(kCanonicalNan) : 1.0f; };
  EXPECT_EQ(FirstDifference(expected, RunSteps(run)), "") << "x86 makes -NaN of inf - inf, and of two it keeps either";
}

TEST_P(AllStages, ANaNInOneMicroBatchReachesTheNormOfEveryRank) {
  TestRun run = ThreeRanks();
  run.gradient = [](int64_t, int64_t g, int p, int64_t i) {
    return g == 2 && p == 1 && i == 1 ? FromBits(kCanonicalNan) : 1.0f;
  };
  const Snapshot after = RunSteps(run).at(0);
  EXPECT_NE(FromBits(after.grad_norm), FromBits(after.grad_norm));
}

/// Runs `body` on the engine of a single rank.
std::string OnOneRank(const EngineSettings& settings, const Tensors& initial,
                      const std::function<void(Engine&)>& body) {
  return RunOnThreads(1, seconds(5), [&](TestRank& self) {
    const MeshGroups comms = MakeMeshGroups("threads", self.settings, 1);
    std::vector<const float*> pointers;
    for (const auto& values : initial) pointers.push_back(values.data());
    Engine engine(settings, 0, 1, comms.groups(), self.device, pointers);
    body(engine);
  })[0];
}

TEST(Engine, RefusesCallsOutOfOrder) {
  const float gradient[2] = {1, 1};
  const EngineSettings settings = SettingsFor({2});
  EXPECT_EQ(OnOneRank(settings, {{1, 2}}, [&](Engine& engine) { engine.Accumulate(1, 0, {gradient}); }),
            "micro-batches come in order: expected micro-batch 0 of step 0, got micro-batch 0 of step 1");
  EXPECT_EQ(OnOneRank(settings, {{1, 2}}, [&](Engine& engine) { engine.Step(0); }),
            "expected step 0 after 1 micro-batches, got step 0 after 0");
  EXPECT_EQ(OnOneRank(settings, {{1, 2}}, [&](Engine& engine) { engine.Accumulate(0, 0, {}); }),
            "0 gradients were given: expected one for each of 1 parameters");
}

TEST(Engine, RefusesReadsThatItCannotServe) {
  float values[2];
  const float gradient[2] = {1, 1};
  const EngineSettings settings = SettingsFor({2});
  const auto refusal = [&](const std::function<void(Engine&)>& body) { return OnOneRank(settings, {{1, 2}}, body); };
  EXPECT_EQ(refusal([&](Engine& e) { e.ReadParameter(1, values, 8); }), "parameter is 1: this engine has 1 parameters");
  EXPECT_EQ(refusal([&](Engine& e) { e.ReadParameter(0, values, 4); }), "parameter 0 has 8 bytes, but 4 were asked");
  EXPECT_EQ(refusal([&](Engine& e) {
              e.ReadState("exp_avg", 0, {0, 2}, values);
            }),
            "state exp_avg is unknown: sgd has master, gradient, momentum");
  EXPECT_NE(refusal([&](Engine& e) { e.ReadState("master", 0, {0, 3}, values); }).find("not owned"), std::string::npos);
  const auto read_gradient = [&](Engine& e) { e.ReadState("gradient", 0, {0, 2}, values); };
  EXPECT_NE(refusal(read_gradient), "") << "before the first step";
  const auto step = [&](Engine& e) {
    e.Accumulate(0, 0, {gradient});
    e.Step(0);
  };
  EXPECT_EQ(refusal([&](Engine& e) { step(e), read_gradient(e); }), "");
  EXPECT_NE(refusal([&](Engine& e) { step(e), e.Accumulate(1, 0, {gradient}), read_gradient(e); }), "")
      << "after the next micro-batch";
}

TEST(Engine, RefusesWhatMakesNoSense) {
  const auto refusal = [](const std::function<void(EngineSettings&)>& change) {
    EngineSettings settings = SettingsFor({2, 2});
    change(settings);
    return OnOneRank(settings, {{1, 2}, {3, 4}}, [](Engine&) {});
  };
  EXPECT_EQ(refusal([](EngineSettings& s) { s.stage = 4; }), "stage is 4: expected 0..3");
  EXPECT_EQ(refusal([](EngineSettings& s) { s.replicas = 2; }), "replicas is 2: expected a divisor of world_size 1");
  EXPECT_EQ(refusal([](EngineSettings& s) { s.reduction_order = "random"; }),
            "reduction order random is not in this build, which has: rank, ring, tree");
  EXPECT_NE(refusal([](EngineSettings& s) { s.plan = "magic"; }).find("plan magic is unknown; this build has: contig"),
            std::string::npos);
  EXPECT_EQ(refusal([](EngineSettings& s) { s.parameters[0].tied_to = 1; }),
            "parameter 0 is tied to parameter 1: expected one before it that has storage of its own");
  EXPECT_EQ(refusal([](EngineSettings& s) { s.optimizer.kind = OptimizerKind::kMuon; }),
            "parameter p0 has the shape [2]: expected two dimensions, for muon moves matrices");
  const auto offload_in_stage_0 = [](EngineSettings& s) { s.stage = 0, s.offload = OffloadMode::kParams; };
  EXPECT_EQ(refusal(offload_in_stage_0),
            "offload needs a shard to keep on the host: expected stage 1 or higher, got stage 0");
}

}  // namespace
}  // namespace zerocts::engine
