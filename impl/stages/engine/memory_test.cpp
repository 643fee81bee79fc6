// What a rank holds, to the byte, against formulas written out here.
#include <gtest/gtest.h>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/stages/engine/memory_estimate.hpp"
#include "impl/stages/for_test/engines.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::seconds;

/// Bytes by kind that rank `rank` of W = 3 holds, for 10 + 1 elements.
MemoryLedger MemoryOf(int rank, const EngineSettings& settings) {
  MemoryLedger memory;
  const auto sentences = RunOnThreads(3, seconds(5), [&](TestRank& self) {
    const MeshGroups comms = MakeMeshGroups("threads", self.settings, 1);
    const std::vector<float> initial(10);
    Engine engine(settings, self.rank, 3, comms.groups(), self.device, {initial.data(), initial.data()});
    if (self.rank == rank) memory = engine.memory();
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
  return memory;
}

EngineSettings Settings(int stage, Precision precision) {
  EngineSettings settings = SettingsFor({10, 1});
  settings.stage = stage;
  settings.optimizer.kind = OptimizerKind::kAdamW;
  settings.precision = precision;
  for (EngineParameter& parameter : settings.parameters) parameter.precision = precision;
  return settings;
}

TEST(Memory, OptimizerStateIsOneThirdFromStage1On) {
  for (const int stage : {0, 1, 2, 3}) {
    const EngineSettings fp32 = Settings(stage, Precision::kFp32);  // masters are the parameters: two moments
    EXPECT_EQ(MemoryOf(0, fp32)[MemoryKind::kOptimizer], 2 * 4 * (stage == 0 ? 11 : 4));
    EXPECT_EQ(MemoryOf(2, fp32)[MemoryKind::kOptimizer], 2 * 4 * (stage == 0 ? 11 : 3));
    const EngineSettings bf16 = Settings(stage, Precision::kBf16);  // and masters
    EXPECT_EQ(MemoryOf(0, bf16)[MemoryKind::kOptimizer], 3 * 4 * (stage == 0 ? 11 : 4));
    EXPECT_EQ(MemoryOf(2, bf16)[MemoryKind::kOptimizer], 3 * 4 * (stage == 0 ? 11 : 3));
  }
}

TEST(Memory, ParametersAreOneThirdInStage3) {
  for (const int stage : {0, 1, 2, 3}) {
    EXPECT_EQ(MemoryOf(2, Settings(stage, Precision::kBf16))[MemoryKind::kParameter], 2 * (stage == 3 ? 3 : 11));
    EXPECT_EQ(MemoryOf(0, Settings(stage, Precision::kFp32))[MemoryKind::kParameter], 4 * (stage == 3 ? 4 : 11));
  }
}

TEST(Memory, WholeGradientsAreKeptUpToStage1OrBetweenMicroBatchesWithoutSync) {
  for (const int stage : {0, 1, 2, 3}) {
    EngineSettings settings = Settings(stage, Precision::kFp32);
    EXPECT_EQ(MemoryOf(2, settings)[MemoryKind::kGradient], 4 * (stage < 2 ? 11 : 3)) << stage;
    settings.micro_batches = 2;
    EXPECT_EQ(MemoryOf(2, settings)[MemoryKind::kGradient], 4 * 11) << stage;
    settings.gradient_sync = GradientSync::kEveryMicroBatch;
    EXPECT_EQ(MemoryOf(2, settings)[MemoryKind::kGradient], 4 * ((stage < 2 ? 11 : 0) + 3)) << stage;
  }
}

TEST(Memory, SlotsHoldTheLargestOfTheBucketsThatTakeTurns) {
  EngineSettings settings = Settings(2, Precision::kFp32);
  const int64_t one_bucket = MemoryOf(2, settings)[MemoryKind::kBuffer];
  settings.bucket_cap_bytes = 4;  // [10] and [1] take turns with nobody
  EXPECT_EQ(MemoryOf(2, settings)[MemoryKind::kBuffer], one_bucket) << "11 elements in one slot or in two";
}

void ExpectTheEstimate(const EngineSettings& settings) {
  const MemoryLedger held = MemoryOf(1, settings), estimate = EstimateMemory(settings, 1, 3);
  for (const MemoryKind kind :
       {MemoryKind::kParameter, MemoryKind::kGradient, MemoryKind::kOptimizer, MemoryKind::kBuffer}) {
    EXPECT_EQ(held[kind], estimate[kind]) << settings.stage << " " << static_cast<int>(kind);
  }
  EXPECT_EQ(held.peak(), estimate.peak());
  EXPECT_EQ(held.on_host(), estimate.on_host());
  EXPECT_EQ(held.on_host() > 0, settings.offload != OffloadMode::kNone);
}

/// Estimates are made before anything is allocated; the ledger counts what was.
TEST(Memory, IsWhatWasEstimated) {
  for (const int stage : {0, 1, 2, 3}) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      for (const GradientSync sync : {GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch}) {
        EngineSettings settings = Settings(stage, precision);
        settings.micro_batches = 5;
        settings.reduction_order = "tree";
        settings.gradient_sync = sync;
        settings.bucket_cap_bytes = 4;
        settings.reduction = precision;
        if (stage > 0) settings.offload = stage == 2 ? OffloadMode::kParams : OffloadMode::kFull;
        ExpectTheEstimate(settings);
      }
    }
  }
}

/// One momentum, and buffers of one bucket: all directions, this rank's, and what one matrix needs.
TEST(Memory, OfMuonIsOfOneBucket) {
  for (const int stage : {0, 1, 2, 3}) {
    EngineSettings settings = Settings(stage, Precision::kFp32);
    CutIntoMatrices(settings);  // 2 x 5 and 1 x 1
    const int64_t of_adamw = MemoryOf(2, settings)[MemoryKind::kBuffer];
    settings.optimizer.kind = OptimizerKind::kMuon;
    ExpectTheEstimate(settings);
    const MemoryLedger held = MemoryOf(2, settings);  // which owns a piece of the first matrix from stage 1 on
    EXPECT_EQ(held[MemoryKind::kOptimizer], 4 * (stage == 0 ? 11 : 3));
    const int64_t own = stage == 0 ? 0 : 3, work = 2 * 4 + 10;
    EXPECT_EQ(held[MemoryKind::kBuffer] - of_adamw, 4 * (own + 11 + work) + int64_t{sizeof(SumOfSquares)}) << stage;
    settings.bucket_cap_bytes = 4;
    ExpectTheEstimate(settings);
    EXPECT_LT(MemoryOf(2, settings)[MemoryKind::kBuffer], held[MemoryKind::kBuffer]) << stage;
    if (stage > 0) settings.offload = OffloadMode::kFull;
    ExpectTheEstimate(settings);
  }
}

TEST(Memory, PaddingIsCounted) {
  EngineSettings settings = Settings(1, Precision::kBf16);
  settings.plan = "padded";
  EXPECT_EQ(MemoryOf(2, settings)[MemoryKind::kOptimizer], 3 * 4 * 4);
  EXPECT_EQ(MemoryOf(2, settings)[MemoryKind::kParameter], 2 * 12);
}

}  // namespace
}  // namespace zerocts::engine
