// Engines on a real GPU, W ranks as threads of this process that share it. Without a GPU one sentence says so and
// nothing is run.
#include <gtest/gtest.h>

#include "impl/device/for_test/gpu_tests.hpp"
#include "impl/stages/for_test/device_runs.hpp"

namespace zerocts::engine {
namespace {

TEST(CudaEngine, GivenGradientsHaveTheBitsOfTheHostInEveryStage) {
  ExpectTheBitsOfTheHost(RunOfGivenGradients(), "cuda");
}

TEST(CudaEngine, MatricesOfMuonHaveTheBitsOfTheHostInEveryStage) {
  ExpectTheBitsOfTheHost(RunOfGivenGradients(), "cuda", {OptimizerKind::kMuon});
}

TEST(CudaEngine, TensorRanksHaveTheBitsOfOne) { ExpectTheBitsOfOneTensorRank("cuda"); }
TEST(CudaEngine, PositionsOnTensorRanksHaveTheBitsOfOne) { ExpectTheBitsOfOneTensorRank("cuda", true); }

class CudaEngineOf : public testing::TestWithParam<OptimizerKind> {};
INSTANTIATE_TEST_SUITE_P(Optimizers, CudaEngineOf, testing::ValuesIn(kOptimizers),
                         [](const auto& info) { return ToString(info.param); });

TEST_P(CudaEngineOf, AModelHasTheBitsOfTheHostInEveryStage) {
  ExpectTheBitsOfTheHost(RunOfAModel(), "cuda", {GetParam()});
}

}  // namespace
}  // namespace zerocts::engine

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return zerocts::engine::RunAllTestsUnless(zerocts::engine::WhyNoGpu());
}
