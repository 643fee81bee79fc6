// The device cuda on a real GPU: every kernel against the host, memory, streams, events. Without a GPU one sentence
// says so and nothing is run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "impl/device/device.hpp"
#include "impl/device/for_test/gpu_tests.hpp"
#include "impl/device/for_test/op_cases.hpp"
#include "impl/device/out_of_device_memory.hpp"

namespace zerocts::engine {
namespace {

struct Account : RefusingMemory {
  std::map<MemoryKind, int64_t> held;
  void Count(int64_t bytes, MemoryKind kind) override { held[kind] += bytes; }
  void Uncount(int64_t bytes, MemoryKind kind) override { held[kind] -= bytes; }
};

class CudaDevice : public testing::Test {
 protected:
  Account account_;
  std::unique_ptr<Device> device_ = MakeDevice("cuda", account_);
  std::unique_ptr<DeviceStream> compute_ = device_->MakeStream(StreamRole::kCompute);

  std::vector<float> Read(const void* memory, int64_t numel) {
    std::vector<float> values(numel);
    device_->CopyToHost(values.data(), memory, numel * static_cast<int64_t>(sizeof(float)), *compute_);
    compute_->Synchronize();
    return values;
  }

  /// The buffers of a case after `ops`, which is one of `compute_`.
  std::vector<OpBuffer> RunOnDevice(const OpCase& c, Ops& ops) {
    OpMemory memory;
    for (const OpBuffer& buffer : c.buffers) {
      const auto bytes = static_cast<int64_t>(buffer.bytes.size());
      memory.at.push_back(static_cast<std::byte*>(device_->Allocate(bytes, MemoryKind::kBuffer)));
      device_->CopyFromHost(memory.at.back(), buffer.bytes.data(), bytes, *compute_);
    }
    c.run(ops, memory);
    std::vector<OpBuffer> after = c.buffers;
    for (size_t i = 0; i < after.size(); ++i) {
      device_->CopyToHost(after[i].bytes.data(), memory.at[i], static_cast<int64_t>(after[i].bytes.size()), *compute_);
    }
    compute_->Synchronize();
    for (std::byte* buffer : memory.at) device_->Free(buffer);
    return after;
  }
};

TEST_F(CudaDevice, EveryOperationHasTheBitsOfTheHost) {
  for (const OpCase& c : OpCases()) {
    const std::vector<OpBuffer> expected = c.RunOnHost(HostOps()), got = RunOnDevice(c, compute_->ops());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(got[i].Bits(), expected[i].Bits()) << c.name << ", buffer " << i;
    }
  }
}

TEST_F(CudaDevice, OperationsOfWorkHaveHappenedWhenTheyReturn) {
  auto* values = static_cast<float*>(device_->Allocate(12, MemoryKind::kBuffer));
  std::vector<float> seen(3);
  compute_->ops().Fill(values, 2.0f, 3);
  compute_->Run([&] {
    Ops& ops = compute_->ops_of_work();
    ops.Scale(values, 3.0f, 3);
    ops.Copy(seen.data(), values, 12);
  });
  compute_->Synchronize();
  EXPECT_EQ(seen, std::vector<float>(3, 6.0f));
  device_->Free(values);
}

TEST_F(CudaDevice, MemoryIsPoisonedAndCounted) {
  void* gradients = device_->Allocate(4004, MemoryKind::kGradient);
  void* pinned = device_->AllocateHost(12, MemoryKind::kOptimizer);
  void* nothing = device_->Allocate(0, MemoryKind::kBuffer);
  void* activations = device_->AllocateActivations(400);
  for (const float x : Read(gradients, 1001)) ASSERT_TRUE(std::isnan(x));
  for (const float x : Read(activations, 100)) ASSERT_TRUE(std::isnan(x));
  EXPECT_TRUE(std::isnan(static_cast<float*>(pinned)[2]));
  EXPECT_EQ(account_.held[MemoryKind::kGradient], 4004);
  EXPECT_EQ(account_.held[MemoryKind::kOptimizer], 12);
  EXPECT_EQ(account_.held[MemoryKind::kBuffer], 0);
  device_->Free(gradients);
  device_->Free(nothing);
  device_->FreeHost(pinned);
  device_->FreeActivations(activations);
  EXPECT_EQ(account_.held[MemoryKind::kGradient], 0);
  EXPECT_EQ(account_.held[MemoryKind::kOptimizer], 0);
  EXPECT_THROW(device_->Free(gradients), std::logic_error);
}

TEST_F(CudaDevice, FreedMemoryIsGivenOutAgainAndIsPoisonedAgain) {
  void* first = device_->Allocate(4000, MemoryKind::kGradient);
  void* kept = device_->Allocate(4000, MemoryKind::kGradient);
  compute_->ops().Fill(static_cast<float*>(first), 1.0f, 1000);
  compute_->Synchronize();
  device_->Free(first);
  void* second = device_->Allocate(3000, MemoryKind::kParameter);
  EXPECT_EQ(second, first);
  for (const float x : Read(second, 750)) ASSERT_TRUE(std::isnan(x));
  EXPECT_EQ(account_.held[MemoryKind::kGradient], 4000);
  EXPECT_EQ(account_.held[MemoryKind::kParameter], 3000);
  device_->Free(second);
  device_->Free(kept);
}

TEST_F(CudaDevice, TellsWhenItsMemoryIsAtAnEnd) {
  const auto small = MakeDevice("cuda", account_, {.capacity_bytes = 1000});
  void* most = small->Allocate(900, MemoryKind::kParameter);
  try {
    small->Allocate(101, MemoryKind::kGradient);
    FAIL() << "accepted";
  } catch (const OutOfDeviceMemory& e) {
    EXPECT_STREQ(e.what(), "cuda device: wanted 101 bytes (gradient), but holds 900 of its 1000 bytes");
  }
  small->Free(most);
  EXPECT_THROW(device_->Allocate(int64_t{1} << 50, MemoryKind::kGradient), OutOfDeviceMemory);
  Read(device_->Allocate(4, MemoryKind::kBuffer), 1);  // the failure left nothing behind
}

/// With so many elements: the longer the work, the surer who does not wait comes too early.
class CudaDeviceWith : public CudaDevice, public testing::WithParamInterface<int64_t> {};
INSTANTIATE_TEST_SUITE_P(Work, CudaDeviceWith, testing::Values(int64_t{1} << 16, int64_t{1} << 22),
                         [](const auto& info) { return info.index == 0 ? "short" : "long"; });

TEST_P(CudaDeviceWith, StreamsWaitForEventsOfEachOther) {
  const int64_t numel = GetParam();
  const auto communication = device_->MakeStream(StreamRole::kCommunication);
  auto* values = static_cast<float*>(device_->Allocate(numel * 4, MemoryKind::kBuffer));
  compute_->ops().Fill(values, 0.0f, numel);
  auto* ones = static_cast<float*>(device_->Allocate(numel * 4, MemoryKind::kBuffer));
  compute_->ops().Fill(ones, 1.0f, numel);
  for (int round = 0; round < 50; ++round) {
    communication->WaitFor(compute_->Record());
    communication->ops().Add(values, ones, numel);
    compute_->WaitFor(communication->Record());
    compute_->ops().Scale(values, 0.5f, numel);
  }
  const std::vector<float> got = Read(values, numel);
  float expected = 0.0f;
  for (int round = 0; round < 50; ++round) expected = (expected + 1.0f) * 0.5f;
  EXPECT_EQ(std::count(got.begin(), got.end(), expected), numel);
  device_->Free(values);
  device_->Free(ones);
}

TEST_F(CudaDevice, WorkOfTheHostHappensInStreamOrder) {
  auto* value = static_cast<float*>(device_->Allocate(4, MemoryKind::kBuffer));
  float seen[2] = {};
  compute_->ops().Fill(value, 3.0f, 1);
  device_->CopyToHost(&seen[0], value, 4, *compute_);
  compute_->Run([&] { seen[1] = seen[0] + 1.0f; });
  device_->CopyFromHost(value, &seen[1], 4, *compute_);
  compute_->ops().Scale(value, 2.0f, 1);
  EXPECT_EQ(Read(value, 1)[0], 8.0f);
  device_->Free(value);
}

TEST_F(CudaDevice, WorkThatThrowsSpendsTheStream) {
  compute_->Run([] { throw std::domain_error("spent"); });
  EXPECT_THROW(compute_->Synchronize(), std::domain_error);
  EXPECT_THROW(compute_->ops().Fill(nullptr, 0.0f, 1), std::domain_error);
}

TEST_F(CudaDevice, ACopyStreamComputesOnTheHost) {
  const auto copy = device_->MakeStream(StreamRole::kCopy);
  auto* master = static_cast<float*>(device_->AllocateHost(12, MemoryKind::kOptimizer));
  auto* there = static_cast<float*>(device_->Allocate(12, MemoryKind::kBuffer));
  compute_->ops().Fill(there, 2.0f, 3);
  copy->WaitFor(compute_->Record());
  device_->CopyToHost(master, there, 12, *copy);
  copy->ops().Scale(master, 5.0f, 3);
  copy->Synchronize();
  EXPECT_EQ(master[2], 10.0f);
  device_->FreeHost(master);
  device_->Free(there);
}

}  // namespace
}  // namespace zerocts::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return zerocts::engine::RunAllTestsUnless(zerocts::engine::WhyNoGpu());
}
