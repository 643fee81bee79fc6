// The communicator nccl on real GPUs, ranks as processes that may share one: a test of function, never of speed. Exit code
// 77, with a sentence, where there is no GPU or no NCCL.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <iostream>

#include "impl/comm/backends.hpp"
#include "impl/comm/device_bodies_for_test.hpp"
#include "impl/comm/nccl_library.hpp"
#include "impl/comm/ranks_for_test.hpp"
#include "impl/comm/sentences_for_test.hpp"
#include "impl/device/gpu_tests_for_test.hpp"

namespace zerocts {
namespace {

using Body = std::function<void(Communicator& comm, Device& device)>;

/// CUDA does not survive a fork: only children may touch it.
std::vector<std::string> OnGpus(int world_size, const std::string& backend, const Body& body) {
  return RunOnProcesses(world_size, std::chrono::seconds(60), [&](TestRank& self) {
    NoMemory account;
    DeviceSettings settings;
    settings.gpu = DeviceSettings::kGpuOfRank;
    settings.rank = self.rank;
    const auto device = MakeDevice("cuda", account, settings);
    self.settings.device = device.get();
    self.settings.nccl_shares_gpu = world_size > 1;
    const auto comm = MakeCommunicator(backend, self.settings);
    body(*comm, *device);
  });
}

class NcclOnGpus : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, NcclOnGpus, testing::Values(1, 2, 3, 4));

TEST_P(NcclOnGpus, MovesAndFoldsWhatEveryBackendDoes) {
  ExpectAllWell(OnGpus(GetParam(), "nccl", CheckCollectivesOnDevice));
}

TEST_P(NcclOnGpus, AddsByItselfInTheOrderOfTheRing) {
  ExpectAllWell(OnGpus(GetParam(), "nccl-native", CheckRingSumsOnDevice));
}

/// Why nothing can be run here; "" when something can.
std::string WhatIsMissing() {
  return RunOnProcesses(1, std::chrono::seconds(60), [](TestRank&) {
    NoMemory account;
    MakeDevice("cuda", account);
    std::cout << NcclLibrary::OfThisProcess().name() << std::endl;
  })[0];
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return zerocts::RunAllTestsUnless(zerocts::WhatIsMissing());
}
