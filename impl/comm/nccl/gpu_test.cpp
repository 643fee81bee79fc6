// The communicator nccl on real GPUs, ranks as processes. Without arguments the ranks share one GPU: a test of
// function, never of speed. With --gpus N there are N ranks, each on a GPU of its own. Exit code 77, with a sentence,
// where there are too few GPUs or no NCCL.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "impl/comm/backends.hpp"
#include "impl/comm/for_test/device_bodies.hpp"
#include "impl/comm/for_test/ranks.hpp"
#include "impl/comm/for_test/sentences.hpp"
#include "impl/comm/nccl/library.hpp"
#include "impl/device/for_test/gpu_tests.hpp"

namespace zerocts::engine {
namespace {

using Body = std::function<void(Communicator& comm, Device& device)>;

/// CUDA does not survive a fork: only children may touch it.
std::vector<std::string> OnGpus(int world_size, bool share_gpu, const std::string& backend, const Body& body) {
  return RunOnProcesses(world_size, std::chrono::seconds(60), [&](TestRank& self) {
    RefusingMemory account;
    DeviceSettings settings;
    settings.gpu = share_gpu ? 0 : self.rank;
    settings.rank = self.rank;
    const auto device = MakeDevice("cuda", account, settings);
    self.settings.device = device.get();
    self.settings.nccl_shares_gpu = share_gpu;
    const auto comm = MakeCommunicator(backend, self.settings);
    body(*comm, *device);
  });
}

class NcclOnOneGpu : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, NcclOnOneGpu, testing::Values(1, 2, 3, 4), testing::PrintToStringParamName());

TEST_P(NcclOnOneGpu, MovesAndFoldsWhatEveryBackendDoes) {
  ExpectAllWell(OnGpus(GetParam(), GetParam() > 1, "nccl", CheckCollectivesOnDevice));
}

TEST_P(NcclOnOneGpu, AddsByItselfInTheOrderOfTheRing) {
  ExpectAllWell(OnGpus(GetParam(), GetParam() > 1, "nccl-native", CheckRingSumsOnDevice));
}

class NcclOnGpus : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Gpus, NcclOnGpus, testing::Values(2, 4, 8), testing::PrintToStringParamName());

TEST_P(NcclOnGpus, MovesAndFoldsWhatEveryBackendDoes) {
  ExpectAllWell(OnGpus(GetParam(), false, "nccl", CheckCollectivesOnDevice));
}

TEST_P(NcclOnGpus, AddsByItselfInTheOrderOfTheRing) {
  ExpectAllWell(OnGpus(GetParam(), false, "nccl-native", CheckRingSumsOnDevice));
}

/// Why nothing can be run here on GPUs 0 to `gpus` - 1; "" when something can.
std::string WhatIsMissing(int gpus) {
  return RunOnProcesses(1, std::chrono::seconds(60), [=](TestRank&) {
    RefusingMemory account;
    DeviceSettings settings;
    settings.gpu = gpus - 1;
    MakeDevice("cuda", account, settings);
    std::cout << NcclLibrary::OfThisProcess().name() << std::endl;
  })[0];
}

/// --gpus N; 0: not given. Exits with code 2 for anything else.
int GpusAskedFor(int argc, char** argv) {
  if (argc == 1) return 0;
  const int gpus = argc == 3 && std::string(argv[1]) == "--gpus" ? std::atoi(argv[2]) : 0;
  if (gpus == 2 || gpus == 4 || gpus == 8) return gpus;
  std::cerr << "nccl_gpu_test: expected --gpus 2, 4 or 8, or nothing\n";
  std::exit(2);
}

}  // namespace
}  // namespace zerocts::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int gpus = zerocts::engine::GpusAskedFor(argc, argv);
  const std::string given = GTEST_FLAG_GET(filter);
  if (given == "*") GTEST_FLAG_SET(filter, gpus == 0 ? "Ranks/*" : "Gpus/*/" + std::to_string(gpus));
  return zerocts::engine::RunAllTestsUnless(zerocts::engine::WhatIsMissing(gpus == 0 ? 1 : gpus));
}
