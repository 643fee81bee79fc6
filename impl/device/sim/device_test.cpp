// What a missing wait does on the sim. Where the delay must fall into a window, the test's own delay holds it open.
#include "impl/device/sim/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <latch>
#include <vector>

#include "impl/device/for_test/poisoned_memory.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kSimNumel = 37, kBytes = kSimNumel * static_cast<int64_t>(sizeof(float));

/// Holds up the first operation of the first stream, after it was poisoned, until it is let go on.
struct OpenWindow {
  std::latch begun{1}, go_on{1};

  SimDelay Delay() {
    return [this](uint64_t stream, uint64_t operation) {
      if (stream != 0 || operation != 0) return;
      begun.count_down();
      go_on.wait();
    };
  }
};

struct SimDeviceTest : testing::Test {
  PoisonedMemory source;
  OpenWindow window;
  SimDevice device{source, {}, window.Delay()};
  std::unique_ptr<DeviceStream> first = device.MakeStream(StreamRole::kCommunication);
  std::unique_ptr<DeviceStream> second = device.MakeStream(StreamRole::kCompute);
  float* shared = static_cast<float*>(device.Allocate(kBytes, MemoryKind::kBuffer));
  std::vector<float> seen = std::vector<float>(kSimNumel);

  int64_t NaNsSeen() const {
    return std::count_if(seen.begin(), seen.end(), [](float x) { return std::isnan(x); });
  }
};

TEST_F(SimDeviceTest, WhoDoesNotWaitReadsNaN) {
  std::fill_n(shared, kSimNumel, 1.0f);  // an older value that would look right
  first->ops().Fill(shared, 2.0f, kSimNumel);
  window.begun.wait();
  device.CopyToHost(seen.data(), shared, kBytes, *second);
  second->Synchronize();
  EXPECT_EQ(NaNsSeen(), kSimNumel);

  window.go_on.count_down();
  second->WaitFor(first->Record());
  device.CopyToHost(seen.data(), shared, kBytes, *second);
  second->Synchronize();
  EXPECT_EQ(seen, std::vector<float>(kSimNumel, 2.0f));
  device.Free(shared);
}

TEST_F(SimDeviceTest, WhoReadsTheHostsCopyTooEarlyReadsNaN) {
  std::fill_n(shared, kSimNumel, 1.0f);
  device.CopyToHost(seen.data(), shared, kBytes, *first);
  window.begun.wait();
  EXPECT_EQ(NaNsSeen(), kSimNumel);
  window.go_on.count_down();
  first->Synchronize();
  EXPECT_EQ(NaNsSeen(), 0);
  device.Free(shared);
}

TEST_F(SimDeviceTest, WorkOfTheHostPoisonsWhatItSaysItOverwrites) {
  std::fill_n(shared, kSimNumel, 1.0f);
  first->Run([&] { std::fill_n(shared + 1, kSimNumel - 1, 2.0f); }, {{shared + 1, kBytes - 4}, {nullptr, 0}});
  window.begun.wait();
  EXPECT_EQ(shared[0], 1.0f);
  EXPECT_TRUE(std::isnan(shared[1]) && std::isnan(shared[kSimNumel - 1]));
  window.go_on.count_down();
  first->Synchronize();
  device.Free(shared);
}

TEST_F(SimDeviceTest, AWriteInFlightToFreedMemoryIsFound) {
  first->ops().Fill(shared, 2.0f, kSimNumel);
  window.begun.wait();
  device.Free(shared);  // too early
  window.go_on.count_down();
  EXPECT_THROW(first->Synchronize(), UseAfterFree);
  EXPECT_NO_THROW(device.CheckFreedMemory());
  EXPECT_NO_THROW(first->Synchronize());  // a finding spends no stream
}

TEST_F(SimDeviceTest, AReadInFlightOfFreedMemorySeesNaN) {
  std::fill_n(shared, kSimNumel, 1.0f);
  device.CopyToHost(seen.data(), shared, kBytes, *first);
  window.begun.wait();
  device.Free(shared);  // too early
  window.go_on.count_down();
  first->Synchronize();
  EXPECT_EQ(NaNsSeen(), kSimNumel);
}

TEST_F(SimDeviceTest, HostMemoryFreedDuringACopyIsFound) {
  std::fill_n(shared, kSimNumel, 1.0f);
  void* staging = device.AllocateHost(kBytes, MemoryKind::kBuffer);
  device.CopyToHost(staging, shared, kBytes, *first);
  window.begun.wait();
  device.FreeHost(staging);
  window.go_on.count_down();
  EXPECT_THROW(first->Synchronize(), UseAfterFree);
  device.Free(shared);
}

TEST_F(SimDeviceTest, CapacityIsASetting) {
  SimDevice small(source, {.capacity_bytes = 100});
  EXPECT_THROW(small.Allocate(101, MemoryKind::kBuffer), OutOfDeviceMemory);
  void* host = small.AllocateHost(101, MemoryKind::kBuffer);
  small.FreeHost(host);
  device.Free(shared);
}

TEST(SimDelays, AreAFunctionOfSeedStreamAndOperation) {
  int differ_by_seed = 0, differ_by_stream = 0;
  for (uint64_t operation = 0; operation < 1000; ++operation) {
    const auto drawn = DrawSimDelay(1, 0, operation);
    ASSERT_EQ(drawn, DrawSimDelay(1, 0, operation));
    differ_by_seed += drawn != DrawSimDelay(2, 0, operation);
    differ_by_stream += drawn != DrawSimDelay(1, 1, operation);
  }
  EXPECT_GT(differ_by_seed, 100);
  EXPECT_GT(differ_by_stream, 100);
}

TEST(SimDelays, AreMostlyNoneSometimesShortRarelyLong) {
  constexpr int kDraws = 100000;
  int none = 0, brief = 0, lasting = 0;
  for (uint64_t operation = 0; operation < kDraws; ++operation) {
    const auto us = DrawSimDelay(3, 2, operation).count();
    none += us == 0;
    brief += us >= 1 && us <= 20;
    lasting += us >= 100 && us <= 1000;
  }
  EXPECT_EQ(none + brief + lasting, kDraws);
  EXPECT_NEAR(none, 0.860 * kDraws, 0.01 * kDraws);
  EXPECT_NEAR(lasting, 0.008 * kDraws, 0.002 * kDraws);
}

TEST(SimDelays, AScaleOfNoneDelaysNothingAndALargeOneMuch) {
  PoisonedMemory source;
  uint64_t operation = 0;  // the first that is delayed by some microseconds
  while (DrawSimDelay(1, 0, operation).count() < 5 || DrawSimDelay(1, 0, operation).count() > 20) ++operation;
  const auto took = [&](double scale) {
    const auto begin = std::chrono::steady_clock::now();
    RandomSimDelay(1, scale)(0, operation);
    return std::chrono::steady_clock::now() - begin;
  };
  EXPECT_GE(took(1000), 1000 * DrawSimDelay(1, 0, operation));
  EXPECT_LT(took(0), 1000 * DrawSimDelay(1, 0, operation));
}

}  // namespace
}  // namespace zerocts::engine
