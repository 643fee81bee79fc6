// The table of gradient buffers, for rank 0 of 3 and two buckets of 10 and 1 elements: shards of 4, 4 and 3.
#include "impl/stages/stores/gradient_buffers.hpp"

#include <gtest/gtest.h>

#include "impl/stages/for_test/engines.hpp"

namespace zerocts::engine {
namespace {

std::string TableOf(const EngineSettings& settings, int world_size = 3) {
  return ToString(PlanGradients(settings, ArrangementOf(settings, 0, world_size)));
}

EngineSettings Settings(int stage) {
  EngineSettings settings = SettingsFor({10, 1});
  settings.stage = stage;
  settings.bucket_cap_bytes = 4;  // a bucket for each parameter
  return settings;
}

const std::string kUnsharded = "unsharded 0: 44 bytes, gradient, shard group\n";
const std::string kSlots = "slot 0: 40 bytes, buffer, shard group\nslot 1: 4 bytes, buffer, shard group\n";
const std::string kSharded = "sharded 0: 16 bytes, gradient, device\n";
const std::string kOutput = "reduce_scatter_output: 16 bytes, buffer, device\n";
const std::string kStaging = "host_staging: 16 bytes, buffer, host\n";

TEST(GradientBuffers, HoldTheMeanWhereTheGradientsStandUpToStage1) {
  EXPECT_EQ(TableOf(Settings(0)), kUnsharded);
  EXPECT_EQ(TableOf(Settings(1)), kUnsharded);
}

TEST(GradientBuffers, AreASlotAndAShardFromStage2On) {
  for (const int stage : {2, 3}) {
    EXPECT_EQ(TableOf(Settings(stage)), kSlots + kSharded);
  }
}

TEST(GradientBuffers, KeepWholeGradientsInAWindowWithoutSync) {
  EngineSettings settings = Settings(3);
  settings.micro_batches = 5;
  EXPECT_EQ(TableOf(settings), kUnsharded +
                                   "slot 0: 40 bytes, buffer, device\n"
                                   "slot 1: 4 bytes, buffer, device\n");
  settings.reduction_order = "tree";
  EXPECT_EQ(TableOf(settings), kUnsharded +
                                   "unsharded 1: 44 bytes, gradient, shard group\n"
                                   "unsharded 2: 44 bytes, gradient, shard group\n"
                                   "slot 0: 40 bytes, buffer, device\n"
                                   "slot 1: 4 bytes, buffer, device\n");
}

TEST(GradientBuffers, HaveRoomForASumThatIsAddedToTheMean) {
  EngineSettings settings = Settings(2);
  settings.micro_batches = 2;
  settings.gradient_sync = GradientSync::kEveryMicroBatch;
  EXPECT_EQ(TableOf(settings), kSlots + kSharded + kOutput);
}

TEST(GradientBuffers, SendBf16FromABufferOfItsOwn) {
  EngineSettings settings = Settings(1);
  settings.reduction = Precision::kBf16;
  EXPECT_EQ(TableOf(settings),
            "unsharded 0: 44 bytes, gradient, device\n"
            "reduce_scatter_input: 20 bytes, buffer, shard group\n" +
                kSharded);
  settings.stage = 0;
  EXPECT_EQ(TableOf(settings), kUnsharded + "reduce_scatter_input: 20 bytes, buffer, shard group\n" + kSharded);
}

TEST(GradientBuffers, AreOnTheHostAsFarAsOffloaded) {
  EngineSettings settings = Settings(2);
  settings.offload = OffloadMode::kParams;
  EXPECT_EQ(TableOf(settings), kSlots + kSharded + kStaging);
  settings.offload = OffloadMode::kFull;
  EXPECT_EQ(TableOf(settings), kSlots + "sharded 0: 16 bytes, gradient, host\n" + kOutput + kStaging);
}

TEST(GradientBuffers, HoldAMeanBesideWholeGradientsThatAreOffloaded) {
  EngineSettings settings = Settings(1);
  settings.offload = OffloadMode::kParams;
  EXPECT_EQ(TableOf(settings), kUnsharded + kSharded + kStaging);
}

TEST(GradientBuffers, HoldOneMicroBatchWhereRanksAreAddedAfterEach) {
  EngineSettings settings = Settings(1);
  settings.micro_batches = 5;
  settings.reduction_order = "tree";
  settings.gradient_sync = GradientSync::kEveryMicroBatch;
  EXPECT_EQ(TableOf(settings), kUnsharded + kSharded + kOutput);
}

TEST(GradientBuffers, AddReplicasWhereTheSumStands) {
  EngineSettings settings = Settings(1);
  settings.replicas = 2;
  EXPECT_EQ(TableOf(settings, 6), kUnsharded + "sharded 0: 16 bytes, gradient, replicate group\n");
}

}  // namespace
}  // namespace zerocts::engine
