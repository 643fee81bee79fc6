// Engines on a device whose memory the host cannot reach: in every stage the same bits as on the host, touched by
// nobody but the operations of streams.
#include <gtest/gtest.h>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/device/for_test/guarded_device.hpp"
#include "impl/device/for_test/poisoned_memory.hpp"
#include "impl/stages/for_test/device_runs.hpp"

namespace zerocts::engine {
namespace {

TEST(GuardedDevice, GivenGradientsHaveTheBitsOfTheHostInEveryStage) {
  ExpectTheBitsOfTheHost(RunOfGivenGradients(), "guarded");
}

TEST(GuardedDevice, MatricesOfMuonHaveTheBitsOfTheHostInEveryStage) {
  ExpectTheBitsOfTheHost(RunOfGivenGradients(), "guarded", {OptimizerKind::kMuon});
}

TEST(GuardedDevice, AModelHasTheBitsOfTheHostInEveryStage) { ExpectTheBitsOfTheHost(RunOfAModel(), "guarded"); }

TEST(GuardedDevice, TensorRanksHaveTheBitsOfOne) { ExpectTheBitsOfOneTensorRank("guarded"); }
TEST(GuardedDevice, PositionsOnTensorRanksHaveTheBitsOfOne) { ExpectTheBitsOfOneTensorRank("guarded", true); }

TEST(GuardedDevice, GroupsOfReplicasToo) {
  TestRun run = RunOfAModel();
  run.settings.groups = {{.lr = 0.0625f}, {.lr = 0.125f}};
  run.settings.stage = 2;
  run.settings.replicas = 2;
  run.settings.optimizer.kind = OptimizerKind::kAdamW;
  run.steps = 2;
  for (const int world_size : {2, 4}) {  // sharding groups of one rank and of two
    run.world_size = world_size;
    run.device = "host";
    const auto expected = RunSteps(run);
    run.device = "guarded";
    EXPECT_EQ(FirstDifference(expected, RunSteps(run)), "") << world_size << " ranks";
  }
}

TEST(GuardedDeviceDeathTest, ATouchByTheHostKillsTheProcess) {
  PoisonedMemory memory;
  const auto device = MakeGuardedDevice(memory);
  auto* values = static_cast<volatile float*>(device->Allocate(4, MemoryKind::kBuffer));
  EXPECT_DEATH(values[0] = 1.0f, "");
  device->Free(const_cast<float*>(values));
}

TEST(GuardedDevice, IsNotForTransportsThatTouchMemory) {
  const auto sentences = RunOnThreads(2, std::chrono::seconds(20), [](TestRank& self) {
    PoisonedMemory memory;
    const auto device = MakeGuardedDevice(memory);
    self.settings.device = device.get();
    MakeCommunicator("shm", self.settings);
  });
  EXPECT_EQ(
      sentences[0],
      "comm shm: needs memory that the host can reach, which device guarded does not have; expected comm nccl, or "
      "comm threads with ranks that are threads of one process");
}

}  // namespace
}  // namespace zerocts::engine
