#include "impl/stages/arrangement/strategy.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts::engine {
namespace {

TEST(Strategy, IsANameForAStage) {
  EXPECT_NO_THROW(RequireStrategy("NoShard", 0, 1));
  EXPECT_NO_THROW(RequireStrategy("ShardGradOp", 2, 1));
  EXPECT_NO_THROW(RequireStrategy("FullShard", 3, 1));
  EXPECT_NO_THROW(RequireStrategy("HybridShard", 3, 2));
  EXPECT_THROW(RequireStrategy("full_shard", 3, 1), std::invalid_argument);
}

TEST(Strategy, IsNeverSilentlyAnother) {
  EXPECT_THROW(RequireStrategy("FullShard", 2, 1), std::invalid_argument);
  EXPECT_THROW(RequireStrategy("FullShard", 3, 2), std::invalid_argument);
  EXPECT_THROW(RequireStrategy("HybridShard", 3, 1), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts::engine
