// Engines whose matrix products are a library's, played by one of our own on a device that the host cannot reach: their
// judge is self parity.
#include <gtest/gtest.h>

#include "impl/cuda_on_host/cublas_on_host.hpp"
#include "impl/stages/for_test/device_runs.hpp"

namespace zerocts::engine {
namespace {

TestRun RunWithStub() {
  TestRun run = RunOfAModel();
  run.device = "guarded";
  run.guarded_ops = [] { return OpsWithStub(); };
  return run;
}

TEST(FastMath, RanksHaveTheBitsOfOneRank) {
  CublasStubSeen& seen = *OfCublasStub<CublasStubSeenOf>(kCublasStubSeenOf);
  seen.products = seen.in_bf16 = seen.misplaced = 0;
  ExpectTheBitsOfOneRank(RunWithStub());
  EXPECT_GT(seen.in_bf16, 1000);
  EXPECT_GT(seen.products - seen.in_bf16, 1000);
  EXPECT_EQ(seen.misplaced, 0);
  EXPECT_EQ(seen.handles, 0);
}

TEST(FastMath, HasBitsOfItsOwn) {
  TestRun run = RunWithStub();
  run.settings.groups = {{.lr = 0.0625f}, {.lr = 0.125f}};
  const auto fast = RunSteps(run);
  run.device = "host";
  EXPECT_NE(FirstDifference(RunSteps(run), fast), "")
      << "else parity with itself proves nothing that exact products do not";
}

}  // namespace
}  // namespace zerocts::engine
