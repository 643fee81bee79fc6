// Ranks whose NCCL is a libnccl of our own (impl/cuda_on_host/nccl_stub.hpp), on devices that look like GPUs.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <string>
#include <vector>

#include "impl/comm/backends.hpp"
#include "impl/comm/for_test/device_out_of_reach.hpp"
#include "impl/comm/for_test/ranks.hpp"
#include "impl/comm/for_test/sentences.hpp"
#include "impl/cuda_on_host/nccl_stub.hpp"

namespace zerocts::engine {

inline constexpr const char* kNcclStub = NCCL_STUB;

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
