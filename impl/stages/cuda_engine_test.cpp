// Engines on a real GPU, W ranks as threads of this process that share it. Without a GPU one sentence says so and nothing is
// run.
#include <gtest/gtest.h>

#include "impl/device/gpu_tests_for_test.hpp"
#include "impl/stages/device_runs_for_test.hpp"

namespace zerocts {
namespace {

TEST(CudaEngine, GivenGradientsHaveTheBitsOfTheHostInEveryStage) {
  ExpectTheBitsOfTheHost(RunOfGivenGradients(), "cuda");
}

TEST(CudaEngine, AModelHasTheBitsOfTheHostInEveryStage) { ExpectTheBitsOfTheHost(RunOfAModel(), "cuda"); }

}  // namespace
}  // namespace zerocts

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return zerocts::RunAllTestsUnless(zerocts::WhyNoGpu());
}
