#include "reference/plan/ours/owners.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

using Ranks = std::vector<int>;

const std::vector<std::string> kNames = {"token_embedding", "block0.w", "block1.w", "block2.w", "final_norm.w", "head"};
const std::vector<int64_t> kNumel = {50, 10, 10, 10, 1, 50};

TEST(Owners, OfBlocksAndTheRest) {
  const ZeroShardMap map = ZeroShardMap::RoundRobin(NumBlocks(kNames), 2);
  EXPECT_EQ(BlockOwners(kNames, kNumel, map), (Ranks{0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(BlockOwners(kNames, kNumel, map, {.embedding = 1, .norm = 1, .head = 0}), (Ranks{1, 0, 1, 0, 1, 0}));
  EXPECT_THROW(BlockOwners(kNames, kNumel, map, {.head = 2}), std::invalid_argument);
}

TEST(Owners, OfTheRestAreBalancedByElements) {
  // Blocks give rank 0 20 elements and rank 1 10: one of the two large tensors to each, the norm to the lighter one.
  EXPECT_EQ(BlockOwners(kNames, kNumel, ZeroShardMap::RoundRobin(3, 2), {.balanced = true}), (Ranks{1, 0, 1, 0, 1, 0}));
}

TEST(Owners, KnowTheNumberOfABlock) {
  EXPECT_EQ(BlockOf("transformer.h.11.mlp.2"), 11);
  EXPECT_EQ(BlockOf("wte"), -1);
  EXPECT_THROW(BlockOf("h.99999999999"), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
