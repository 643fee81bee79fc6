// The communicator nccl and memory: registered with NCCL where that is asked for, and touched by nobody but streams and
// NCCL.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "impl/comm/for_test/device_bodies.hpp"
#include "impl/comm/for_test/nccl_ranks.hpp"
#include "impl/comm/nccl/library.hpp"
#include "impl/device/for_test/counting_memory.hpp"
#include "impl/device/for_test/guarded_device.hpp"
#include "impl/device/for_test/poisoned_memory.hpp"

namespace zerocts::engine {
namespace {

using std::chrono::seconds;

class NcclMemory : public Nccl {};

TEST_F(NcclMemory, IsRegisteredUntilItIsFreedWhereThatIsAskedFor) {
  for (const bool registers : {false, true}) {
    const auto sentences = OnProcesses(2, seconds(20), [&](TestRank& self) {
      self.settings.nccl_registers = registers;
      const auto comm = MakeCommunicator("nccl", self.settings);
      void* first = comm->Allocate(100, MemoryKind::kGradient);
      void* nothing = comm->Allocate(0, MemoryKind::kGradient);
      void* second = comm->Allocate(8, MemoryKind::kParameter);
      const int held = seen_.registered;
      comm->Free(first);
      comm->Free(nothing);
      const int then = seen_.registered;
      comm->Free(second);
      throw std::runtime_error(std::to_string(held) + std::to_string(then) + std::to_string(seen_.registered));
    });
    EXPECT_EQ(sentences[0], registers ? "210" : "000");
  }
}

TEST_F(NcclMemory, SumsAreTheSameWhenItIsRegistered) {
  ExpectAllWell(OnProcesses(3, seconds(60), [](TestRank& self) {
    self.settings.nccl_registers = true;
    CheckCollectivesOnDevice(*MakeCommunicator("nccl", self.settings), *self.settings.device);
  }));
}

TEST_F(NcclMemory, WhatNcclWillNotRegisterIsRefusedInASentence) {
  faults_.rank = 0;
  faults_.call = "ncclCommRegister";
  faults_.code = ncclRemoteError;
  const auto sentences = OnProcesses(1, seconds(20), [](TestRank& self) {
    self.settings.nccl_registers = true;
    MakeCommunicator("nccl", self.settings)->Allocate(100, MemoryKind::kGradient);
  });
  EXPECT_EQ(
      sentences[0],
      "comm nccl, nccl_register=on: ncclCommRegister of 100 bytes: remote error (code 6); NCCL says: the stub was told "
      "to; choose nccl_register=off");
}

/// Called in pairs by one thread.
void OpenGuardedMemory(bool open) {
  thread_local std::optional<GuardedMemoryIsOpen> is_open;
  open ? static_cast<void>(is_open.emplace()) : is_open.reset();
}

/// In processes, so that a touch of one rank is not covered by an operation of another.
std::vector<std::string> OnGuardedDevices(int world_size, const std::function<void(TestRank&)>& body) {
  return RunOnProcesses(world_size, seconds(60), [&](TestRank& self) {
    PoisonedMemory memory;
    const auto device = MakeGuardedDevice(memory);
    self.settings.device = device.get();
    body(self);
  });
}

TEST_F(NcclMemory, OfTheDeviceIsTouchedByStreamsAndNcclAlone) {
  seen_.open_memory = OpenGuardedMemory;
  for (const int world_size : {1, 3}) {
    ExpectAllWell(OnGuardedDevices(world_size, [](TestRank& self) {
      CheckCollectivesOnDevice(*MakeCommunicator("nccl", self.settings), *self.settings.device);
    }));
    ExpectAllWell(OnGuardedDevices(world_size, [](TestRank& self) {
      CheckRingSumsOnDevice(*MakeCommunicator("nccl-native", self.settings), *self.settings.device);
    }));
  }
}

TEST_F(NcclMemory, OfTheCommunicatorIsInWhatItReports) {
  for (const int world_size : {1, 3}) {
    ExpectAllWell(RunOnProcesses(world_size, seconds(60), [](TestRank& self) {
      CountingMemory memory;
      const auto device = MakeDevice("host", memory);
      DeviceOutOfReach gpu(*device);
      self.settings.device = &gpu;
      const auto comm = MakeCommunicator("nccl", self.settings);
      const auto expect_all = [&] {
        const int64_t held = std::accumulate(memory.held.begin(), memory.held.end(), int64_t{0});
        if (comm->staging_bytes() == held) return;
        throw std::runtime_error(fmt::format("reports {} of {} bytes", comm->staging_bytes(), held));
      };
      expect_all();
      CheckCollectivesOnDevice(*comm, gpu);
      expect_all();
    }));
  }
}

TEST_F(NcclMemory, ThatNobodyOpensIsDeadlyToTouch) {
  const auto sentences = OnGuardedDevices(2, [](TestRank& self) {
    CheckCollectivesOnDevice(*MakeCommunicator("nccl", self.settings), *self.settings.device);
  });
  EXPECT_EQ(sentences[0], "Segmentation fault");
}

}  // namespace
}  // namespace zerocts::engine
