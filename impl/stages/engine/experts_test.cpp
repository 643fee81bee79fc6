// Parameters of experts in every stage: the bits of the reference, and what is refused.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "impl/layout/plans.hpp"
#include "impl/layout/unimplemented.hpp"
#include "impl/stages/engine/memory_estimate.hpp"
#include "impl/stages/for_test/experiment_run.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts::engine {
namespace {

/// Dense parameters between those of experts; sizes that their ranks do not divide; the last expert has one more.
Experiment ExperimentWith(int world_size, int experts) {
  Experiment e;
  e.parameters = {{"dense", {7}, 0}, {"of_0", {5}, 0}, {"of_last", {11}, 1},
                  {"none", {0}, 0},  {"more", {3}, 1}, {"bias", {1}, 0}};
  e.groups = {{.lr = 0.125f, .weight_decay = 0.01f, .momentum = 0.9f}, {.lr = 0.5f, .momentum = 0.5f}};
  e.initial = InitialValues::kUniform;
  e.gradients = GradientSource::kUniform;
  e.world_size = world_size;
  e.experts = {experts, {{1, 0}, {2, experts - 1}, {4, experts - 1}}};
  return e;
}

/// `e` is the caller's while the run is used.
TestRun RunOf(const Experiment& e, int stage) {
  TestRun run = RunOfExperiment(e, stage);
  run.gradient = [&e](int64_t step, int64_t g, int p, int64_t i) {
    std::vector<float> gradient(e.parameters[p].numel());
    FillGradient(e, step, g, p, gradient.data());
    return gradient[i];
  };
  run.has_gradient = [&e](int64_t step, int64_t g, int p) { return GivesGradient(e, p, step, g); };
  return run;
}

void ExpectTheBitsOf(const Experiment& e, const TestRun& run) {
  const auto snapshots = RunSteps(run);
  Trainer trainer(
      e,
      UniformOrder(e, RankFold({e.world_size, e.micro_batches, run.settings.replicas, run.settings.gradient_sync}),
                   run.settings.gradient_sync),
      HostOps());
  for (const Snapshot& got : snapshots) {
    const StepTrace expected = trainer.Step();
    ASSERT_EQ(got.skipped, expected.skipped) << "step " << expected.step;
    ASSERT_EQ(got.grad_norm, CanonicalBits(expected.grad_norm)) << "step " << expected.step;
    ASSERT_EQ(got.clip_coefficient, CanonicalBits(expected.clip_coefficient)) << "step " << expected.step;
    ASSERT_EQ(got.states.at("gradient"), BitsOf(expected.gradient)) << "step " << expected.step;
    ASSERT_EQ(got.states.at("master"), BitsOf(expected.master)) << "step " << expected.step;
    ASSERT_EQ(got.parameters, BitsOf(expected.parameter)) << "step " << expected.step;
  }
}

RC_GTEST_PROP(Experts, HaveTheBitsOfTheReferenceInEveryArrangement, ()) {
  struct Mesh {
    int ranks, replicas, experts;
  };
  const auto [ranks, replicas, experts] =
      *rc::gen::element(Mesh{2, 1, 2}, Mesh{3, 1, 3}, Mesh{4, 1, 2}, Mesh{4, 1, 4}, Mesh{6, 1, 2}, Mesh{6, 1, 3},
                        Mesh{4, 2, 2}, Mesh{6, 2, 3}, Mesh{6, 3, 2}, Mesh{8, 2, 2}, Mesh{12, 2, 3}, Mesh{12, 3, 2});
  Experiment e = ExperimentWith(ranks, experts);
  e.experts.divisor = *rc::gen::element(ExpertDivisor::kWorld, ExpertDivisor::kGroup);
  e.steps = 3;
  e.micro_batches = *rc::gen::inRange(1, 4);
  e.precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  e.accumulation = *rc::gen::element(Precision::kFp32, Precision::kFp32, Precision::kBf16);
  e.reduction = *rc::gen::element(Precision::kFp32, Precision::kFp32, Precision::kBf16);
  e.optimizer =
      *rc::gen::element(OptimizerKind::kSgd, OptimizerKind::kAdamW, OptimizerKind::kLamb, OptimizerKind::kMuon);
  if (e.optimizer == OptimizerKind::kMuon) {
    for (ParameterSpec& parameter : e.parameters) parameter.shape.push_back(2);
  }
  e.max_norm = *rc::gen::element(0.0f, 0.25f, 1e9f);
  e.clip_norm = *rc::gen::element(NormKind::kTwo, NormKind::kOne, NormKind::kInfinity);
  if (*rc::gen::inRange(0, 3) == 0) {  // one expert's alone
    const int64_t g = MicroBatchWith(e, 2, *rc::gen::inRange<int64_t>(0, MicroBatchesWith(e, 2)));
    e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 8.0f};
    e.planted = {{1, g, 2, 10, NonFinite::kInfinity}};
  }
  TestRun run = RunOf(e, *rc::gen::inRange(replicas > 1 ? 1 : 0, 4));
  run.settings.replicas = replicas;
  run.settings.gradient_sync = *rc::gen::element(GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch);
  run.settings.plan = *rc::gen::elementOf(PlanNames());
  run.settings.bucket_cap_bytes = *rc::gen::element<int64_t>(0, 1, 40);
  run.settings.overlap = *rc::gen::arbitrary<bool>();
  if (run.settings.stage > 0) {
    run.settings.offload = *rc::gen::element(OffloadMode::kNone, OffloadMode::kParams, OffloadMode::kFull);
  }
  run.device = *rc::gen::element<std::string>("host", "sim");
  run.device_settings.overlap = run.settings.overlap;
  run.device_settings.seed = *rc::gen::inRange<uint64_t>(1, 1000);
  RC_LOG() << Where(run) << " experts " << experts << ", divisor " << ToString(e.experts.divisor) << "\n";
  ExpectTheBitsOf(e, run);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Experts, OfOtherRanksAreRefused) {
  const Experiment e = ExperimentWith(4, 2);
  TestRun run = RunOf(e, 2);
  run.before_micro_batches = [](Engine& engine, int64_t) {
    const int other = engine.Owned(1).empty() ? 1 : 2;  // of this rank's expert it owns something
    std::vector<float> values(11);
    EXPECT_TRUE(engine.Owned(other).empty());
    EXPECT_THROW(engine.ReadParameter(other, values.data(), other == 1 ? 20 : 44), std::invalid_argument);
    EXPECT_THROW(engine.ReadState("master", other, {0, 1}, values.data()), std::invalid_argument);
    std::vector<const void*> gradients(6);
    gradients[static_cast<size_t>(other)] = values.data();
    EXPECT_THROW(engine.Accumulate(0, 0, gradients), std::invalid_argument);
  };
  RunSteps(run);
}

void ExpectRefused(const std::function<void(EngineSettings&)>& change, const std::string& sentence) {
  EngineSettings settings = RunOf(ExperimentWith(6, 3), 1).settings;
  change(settings);
  try {
    RequireServed(settings, 6);
    FAIL() << "was not refused: " << sentence;
  } catch (const std::exception& refused) {
    EXPECT_EQ(refused.what(), sentence);
  }
}

TEST(Experts, AreRefusedInASentence) {
  ExpectRefused([](EngineSettings& s) { s.experts = 4; }, "experts is 4: expected a divisor of world_size 6");
  ExpectRefused([](EngineSettings& s) { s.experts = 2; },
                "parameter of_last is of expert 2, and experts is 2: expected fewer, or no expert");
  ExpectRefused([](EngineSettings& s) { s.experts = 1; },
                "parameter of_0 is of expert 0, and experts is 1: expected fewer, or no expert");
  ExpectRefused([](EngineSettings& s) { s.parameters[1].buffer = true; },
                "parameter of_0 is an expert's and a buffer: expected one of both");
  ExpectRefused([](EngineSettings& s) { s.replicas = 3; },
                "experts is 3, and there are 3 replicas: expected a divisor of the 2 ranks of each");
  ExpectRefused(
      [](EngineSettings& s) {
        s.experts = 1;
        s.expert_divisor = DivisorOfExperts::kGroup;
      },
      "the mean of experts divides by the micro-batches of their own ranks, and experts is 1: expected more");
  ExpectRefused([](EngineSettings& s) { s.tensor = 2; },
                "experts is 3, and there are 2 tensor ranks, which is not in this build");
  ExpectRefused([](EngineSettings& s) { s.plan = "file:plan.json"; },
                "experts is 3, and the plan is that of a file, which is not in this build");
}

TEST(Experts, TakeTheMemoryThatWasEstimated) {
  const Experiment e = ExperimentWith(6, 3);
  for (const int stage : {0, 1, 2, 3}) {
    TestRun run = RunOf(e, stage);
    run.before_step = [&run](Engine& engine, int64_t) {
      // Experts have 5, no and 14 elements, so the estimates of ranks differ by their expert.
      const int expert = !engine.Owned(2).empty() ? 2 : !engine.Owned(1).empty() ? 0 : 1;
      const auto same_as = [&](int rank) {
        const MemoryLedger estimate = EstimateMemory(run.settings, rank, 6);
        return engine.memory().peak() == estimate.peak() &&
               engine.memory()[MemoryKind::kOptimizer] == estimate[MemoryKind::kOptimizer];
      };
      EXPECT_TRUE(same_as(expert) || same_as(expert + 3)) << expert << " in stage " << run.settings.stage;
    };
    RunSteps(run);
  }
}

/// 5 and 14 elements of experts 0 and 2 over 2 ranks each, none of expert 1.
TEST(Experts, AreShardedOverTheirOwnRanks) {
  const Experiment e = ExperimentWith(6, 3);
  const EngineSettings settings = RunOf(e, 1).settings;
  const Arrangement dense = ArrangementOf(settings, 4, 6);
  EXPECT_EQ(dense.shards(), 6);
  for (const int rank : {0, 1, 2, 3, 4, 5}) {
    const Arrangement own = ExpertArrangementOf(settings, rank, 6);
    EXPECT_EQ(own.shards(), 2);
    EXPECT_EQ(own.shard, rank / 3);
    EXPECT_EQ(own.layout.padded_numel(), (std::vector<int64_t>{5, 0, 14}[static_cast<size_t>(rank % 3)]));
    EXPECT_EQ(own.data_ranks, 6);
  }
}

/// Expert 2 of ranks 2, 5, 8 and 11: the first two share it in one replica, the others in the second.
TEST(Experts, AreShardedOverTheirRanksOfEachReplica) {
  const Experiment e = ExperimentWith(12, 3);
  EngineSettings settings = RunOf(e, 1).settings;
  settings.replicas = 2;
  settings.expert_divisor = DivisorOfExperts::kGroup;
  for (const int rank : {2, 5, 8, 11}) {
    const Arrangement own = ExpertArrangementOf(settings, rank, 12);
    EXPECT_EQ(own.shards(), 2);
    EXPECT_EQ(own.expert, 2);
    EXPECT_EQ(own.replica, rank / 6);
    EXPECT_EQ(own.replica, ArrangementOf(settings, rank, 12).replica);
    EXPECT_EQ(own.shard, rank % 6 / 3);
    EXPECT_EQ(own.data_ranks, 4);
  }
}

}  // namespace
}  // namespace zerocts::engine
