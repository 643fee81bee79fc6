#include "impl/stages/strategy.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts::engine {
namespace {

TEST(Strategy, IsANameForAStage) {
  EXPECT_EQ(StrategyOf("NoShard").stage, 0);
  EXPECT_EQ(StrategyOf("ShardGradOp").stage, 2);
  EXPECT_EQ(StrategyOf("FullShard").stage, 3);
  EXPECT_EQ(StrategyOf("HybridShard").stage, 3);
  EXPECT_TRUE(StrategyOf("HybridShard").hybrid);
  EXPECT_THROW(StrategyOf("full_shard"), std::invalid_argument);
}

TEST(Strategy, IsNeverSilentlyAnother) {
  EXPECT_NO_THROW(RequireStrategy("FullShard", 3, 1));
  EXPECT_NO_THROW(RequireStrategy("HybridShard", 3, 2));
  EXPECT_THROW(RequireStrategy("FullShard", 2, 1), std::invalid_argument);
  EXPECT_THROW(RequireStrategy("FullShard", 3, 2), std::invalid_argument);
  EXPECT_THROW(RequireStrategy("HybridShard", 3, 1), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts::engine
