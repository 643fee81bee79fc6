// Engines whose matrix products are cuBLAS's on a real GPU, W ranks as threads that share it: their judge is self
// parity. Without a GPU or cuBLAS one sentence says so and nothing is run.
#include <gtest/gtest.h>

#include "impl/device/for_test/gpu_tests.hpp"
#include "impl/stages/for_test/device_runs.hpp"

namespace zerocts::engine {
namespace {

class FastMath : public testing::TestWithParam<Math> {};
INSTANTIATE_TEST_SUITE_P(Cuda, FastMath, testing::Values(Math::kFast, Math::kTf32));

TEST_P(FastMath, RanksHaveTheBitsOfOneRank) {
  TestRun run = RunOfAModel();
  run.device = "cuda";
  run.device_settings.math = GetParam();
  ExpectTheBitsOfOneRank(run);
}

}  // namespace
}  // namespace zerocts::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return zerocts::engine::RunAllTestsUnless(zerocts::engine::WhyNoGpu({.math = zerocts::engine::Math::kFast}));
}
