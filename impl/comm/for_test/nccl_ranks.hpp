// Ranks whose NCCL is a libnccl of our own (impl/cuda_on_host/nccl_stub.hpp), on devices that look like GPUs.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "impl/comm/backends.hpp"
#include "impl/comm/for_test/ranks.hpp"
#include "impl/comm/for_test/sentences.hpp"
#include "impl/cuda_on_host/nccl_stub.hpp"
#include "impl/device/device.hpp"

namespace zerocts::engine {

inline constexpr const char* kNcclStub = NCCL_STUB;

/// Calls itself a GPU, but its memory is the host's: for what works on handles and addresses alone.
class DeviceOutOfReach : public Device {
 public:
  explicit DeviceOutOfReach(Device& host) : host_(host) {}
  std::string name() const override { return "cuda"; }
  bool host_can_reach() const override { return false; }
  void* Allocate(int64_t bytes, MemoryKind kind) override { return host_.Allocate(bytes, kind); }
  void Free(void* memory) override { host_.Free(memory); }
  void* AllocateActivations(int64_t bytes) override { return host_.AllocateActivations(bytes); }
  void FreeActivations(void* memory) override { host_.FreeActivations(memory); }
  void Poison(void* memory, int64_t bytes) override { host_.Poison(memory, bytes); }
  void* AllocateHost(int64_t bytes, MemoryKind kind) override { return host_.AllocateHost(bytes, kind); }
  void FreeHost(void* memory) override { host_.FreeHost(memory); }
  std::unique_ptr<DeviceStream> MakeStream(StreamRole role) override { return host_.MakeStream(role); }
  void CopyFromHost(void* device, const void* host, int64_t bytes, DeviceStream& stream) override {
    host_.CopyFromHost(device, host, bytes, stream);
  }
  void CopyToHost(void* host, const void* device, int64_t bytes, DeviceStream& stream) override {
    host_.CopyToHost(host, device, bytes, stream);
  }

 private:
  Device& host_;
};

/// A body with the stub as its NCCL and a device that looks like a GPU.
inline RankBody OnGpus(const RankBody& body) {
  return [=](TestRank& self) {
    DeviceOutOfReach gpu(self.device);
    self.settings.device = &gpu;
    body(self);
  };
}
inline std::vector<std::string> OnThreads(int world_size, std::chrono::milliseconds deadline, const RankBody& body) {
  return RunOnThreads(world_size, deadline, OnGpus(body));
}
inline std::vector<std::string> OnProcesses(int world_size, std::chrono::milliseconds deadline, const RankBody& body) {
  return RunOnProcesses(world_size, deadline, OnGpus(body));
}

/// The sentence of a wait that ran out without what differs from run to run: seconds, and who gave up a moment before.
inline std::string WithoutHaste(const std::string& sentence) {
  return std::regex_replace(WithoutSeconds(sentence), std::regex("; gave up [0-9,]+"), "");
}

template <class Function>
auto OfNcclStub(const char* name) {
  return reinterpret_cast<Function*>(dlsym(dlopen(kNcclStub, RTLD_NOW | RTLD_LOCAL), name))();
}

class Nccl : public testing::Test {
 protected:
  void TearDown() override {
    faults_ = {};
    seen_.splits = seen_.registered = 0;
    seen_.open_memory = nullptr;
  }

  NcclStubFaults& faults_ = *OfNcclStub<NcclStubFaultsOf>(kNcclStubFaultsOf);
  NcclStubSeen& seen_ = *OfNcclStub<NcclStubSeenOf>(kNcclStubSeenOf);
};

}  // namespace zerocts::engine
