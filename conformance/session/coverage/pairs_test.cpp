#include "conformance/session/coverage/pairs.hpp"

#include <gtest/gtest.h>

#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

TEST(Pairs, OfACaseAreSix) {
  Case c;
  c.stage = 3;
  c.plan = "padded";
  c.replicas = 2;
  c.experiment.world_size = 6;
  EXPECT_EQ(PairsOf(c), (Pairs{"stage 3 + plan padded", "stage 3 + fp32", "plan padded + fp32", "stage 3 + mesh 2 x 3",
                               "plan padded + mesh 2 x 3", "fp32 + mesh 2 x 3"}));
}

TEST(Pairs, ThatARunCanHaveAreThoseOfWhatIsDeclaredAndChosen) {
  SessionSettings settings;
  settings.world_sizes = {1, 4};
  Capabilities& can = settings.info.capabilities;
  can.stages = {0, 2};
  can.param_dtypes = {Precision::kFp32};
  can.plans = {"a", "b"};
  can.replicas = true;
  can.max_world_size = 8;
  // Meshes 1 x 1, 1 x 4, and in stage 2 also 2 x 2 and 4 x 1.
  const Pairs all = PossiblePairs(settings);
  EXPECT_EQ(all.size(), 2u * 2 + 2 + (2 + 4) + 2 + 2 * 4 + 4);
  EXPECT_TRUE(all.contains("stage 2 + mesh 4 x 1"));
  EXPECT_FALSE(all.contains("stage 0 + mesh 4 x 1"));
  settings.constraints = {HeldTo("plan", {"b"}), HeldTo("stage", {"0"})};
  EXPECT_EQ(PossiblePairs(settings),
            (Pairs{"stage 0 + plan b", "stage 0 + fp32", "plan b + fp32", "stage 0 + mesh 1 x 1", "plan b + mesh 1 x 1",
                   "fp32 + mesh 1 x 1", "stage 0 + mesh 1 x 4", "plan b + mesh 1 x 4", "fp32 + mesh 1 x 4"}));
}

}  // namespace
}  // namespace zerocts
