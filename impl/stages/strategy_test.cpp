#include "impl/stages/strategy.hpp"

#include <gtest/gtest.h>

#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

std::string Refusal(const std::string& strategy) {
  try {
    StageOfStrategy(strategy);
  } catch (const Unimplemented& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(Strategy, NamesOfFsdpAreSpellingsOfStages) {
  EXPECT_EQ(StageOfStrategy("NoShard"), 0);
  EXPECT_EQ(Refusal("ShardGradOp"), "strategy ShardGradOp is stage 2; this build has stages 0 and 1");
  EXPECT_EQ(Refusal("FullShard"), "strategy FullShard is stage 3; this build has stages 0 and 1");
  EXPECT_EQ(Refusal("HybridShard"), "strategy HybridShard is stage 3 on a 2-D mesh; this build has stages 0 and 1");
  EXPECT_THROW(StageOfStrategy("Shard"), std::invalid_argument);
}

TEST(Stage, OnesThatThisBuildLacksAreUnimplementedAndOthersMakeNoSense) {
  EXPECT_NO_THROW(RequireStage(0));
  EXPECT_NO_THROW(RequireStage(1));
  EXPECT_THROW(RequireStage(2), Unimplemented);
  EXPECT_THROW(RequireStage(3), Unimplemented);
  EXPECT_THROW(RequireStage(4), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
