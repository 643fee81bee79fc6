// Engines on a real GPU, W ranks as threads of this process that share it. Without a GPU one sentence says so and nothing is
// run.
#include <gtest/gtest.h>

#include <iostream>

#include "impl/device/poisoned_memory_for_test.hpp"
#include "impl/layout/unimplemented.hpp"
#include "impl/stages/device_runs_for_test.hpp"

namespace zerocts {
namespace {

TEST(CudaEngine, GivenGradientsHaveTheBitsOfTheHostInEveryStage) {
  ExpectTheBitsOfTheHost(RunOfGivenGradients(), "cuda");
}

TEST(CudaEngine, AModelHasTheBitsOfTheHostInEveryStage) { ExpectTheBitsOfTheHost(RunOfAModel(), "cuda"); }

bool HasGpu() {
  PoisonedMemory memory;
  try {
    MakeDevice("cuda", memory);
    return true;
  } catch (const Unimplemented& refusal) {
    std::cout << "not run: " << refusal.what() << "\n";
    return false;
  }
}

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  constexpr int kNotRun = 77;
  testing::InitGoogleTest(&argc, argv);
  return zerocts::HasGpu() ? RUN_ALL_TESTS() : kNotRun;
}
