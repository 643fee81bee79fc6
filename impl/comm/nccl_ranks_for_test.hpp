// Ranks whose NCCL is a libnccl of our own (nccl_stub_for_test.hpp), on devices that look like GPUs.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <regex>
#include <string>
#include <vector>

#include "impl/comm/backends.hpp"
#include "impl/comm/device_out_of_reach_for_test.hpp"
#include "impl/comm/nccl_stub_for_test.hpp"
#include "impl/comm/ranks_for_test.hpp"
#include "impl/comm/sentences_for_test.hpp"

namespace zerocts {

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

}  // namespace zerocts
