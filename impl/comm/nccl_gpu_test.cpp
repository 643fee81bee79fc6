// The communicator nccl on real GPUs, ranks as processes that may share one: a test of function, never of speed. Exit code
// 77, with a sentence, where there is no GPU or no NCCL.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <stdexcept>

#include "impl/comm/backends.hpp"
#include "impl/comm/device_bodies_for_test.hpp"
#include "impl/comm/nccl_library.hpp"
#include "impl/comm/ranks_for_test.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

/// The account of nobody: a GPU's memory is not the host's to give.
struct NoAccount : MemorySource {
  void* Allocate(int64_t, MemoryKind) override { throw std::logic_error("the account was asked for memory"); }
  void Free(void*) override { throw std::logic_error("the account was given memory"); }
};

using Body = std::function<void(Communicator& comm, Device& device)>;

/// CUDA does not survive a fork: only children may touch it.
std::vector<std::string> OnGpus(int world_size, const std::string& backend, const Body& body) {
  return RunOnProcesses(world_size, std::chrono::seconds(60), [&](TestRank& self) {
    NoAccount account;
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

void ExpectAllWell(const std::vector<std::string>& sentences) {
  for (size_t rank = 0; rank < sentences.size(); ++rank) EXPECT_EQ(sentences[rank], "") << "rank " << rank;
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
    NoAccount account;
    MakeDevice("cuda", account);
    std::cout << NcclLibrary::OfThisProcess().name() << std::endl;
  })[0];
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  constexpr int kNotRun = 77;
  testing::InitGoogleTest(&argc, argv);
  const std::string missing = zerocts::WhatIsMissing();
  if (missing.empty()) return RUN_ALL_TESTS();
  std::cout << "not run: " << missing << "\n";
  return kNotRun;
}
