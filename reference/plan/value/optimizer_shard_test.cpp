#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts {
namespace {

std::vector<int64_t> ShardSizes(int world_size, int64_t total) {
  std::vector<int64_t> sizes;
  for (int rank = 0; rank < world_size; ++rank)
    sizes.push_back(OptimizerShard::ForRank(rank, world_size, total).shard_size());
  return sizes;
}

TEST(OptimizerShard, DividesEvenly) { EXPECT_EQ(ShardSizes(4, 100), (std::vector<int64_t>{25, 25, 25, 25})); }

TEST(OptimizerShard, GivesTheRemainderToTheFirstRanks) {
  EXPECT_EQ(ShardSizes(3, 10), (std::vector<int64_t>{4, 3, 3}));
}

TEST(OptimizerShard, LeavesLastRanksEmptyWhenThereAreFewerElementsThanRanks) {
  EXPECT_EQ(ShardSizes(5, 2), (std::vector<int64_t>{1, 1, 0, 0, 0}));
}

TEST(OptimizerShard, CoversEveryIndexOnce) {
  constexpr int64_t kTotal = 1000003;
  constexpr int kWorldSize = 7;
  std::vector<int> owners(kTotal, 0);
  for (int rank = 0; rank < kWorldSize; ++rank) {
    const OptimizerShard shard = OptimizerShard::ForRank(rank, kWorldSize, kTotal);
    for (int64_t i = 0; i < kTotal; ++i) owners[i] += i >= shard.begin && i < shard.end;
  }
  EXPECT_EQ(owners, std::vector<int>(kTotal, 1));
}

TEST(OptimizerShard, MemoryOfAdamWMoments) {
  EXPECT_EQ(OptimizerShard::ForRank(0, 1, 1000000).shard_memory_bytes(), 8000000);
  EXPECT_EQ(OptimizerShard::ForRank(3, 4, 1000000).shard_memory_bytes(), 2000000);
}

TEST(OptimizerShard, SavesWhatOthersHold) {
  EXPECT_EQ(OptimizerShard::ForRank(3, 4, 1000000).full_memory_bytes(), 8000000);
  EXPECT_DOUBLE_EQ(OptimizerShard::ForRank(3, 4, 1000000).memory_savings(), 0.75);
  EXPECT_DOUBLE_EQ(OptimizerShard::ForRank(0, 3, 10).memory_savings(), 0.6);  // the remainder: 4 of 10
  EXPECT_DOUBLE_EQ(OptimizerShard::ForRank(2, 3, 10).memory_savings(), 0.7);
  EXPECT_DOUBLE_EQ(OptimizerShard::ForRank(0, 5, 2).memory_savings(), 0.5);
  EXPECT_DOUBLE_EQ(OptimizerShard::ForRank(4, 5, 2).memory_savings(), 1.0);
  EXPECT_DOUBLE_EQ(OptimizerShard::ForRank(0, 1, 10).memory_savings(), 0.0);
  EXPECT_DOUBLE_EQ(OptimizerShard::ForRank(0, 3, 0).memory_savings(), 0.0);
}

TEST(OptimizerShard, RefusesRanksOutsideTheWorld) {
  EXPECT_THROW(OptimizerShard::ForRank(0, 0, 10), std::invalid_argument);
  EXPECT_THROW(OptimizerShard::ForRank(3, 3, 10), std::invalid_argument);
  EXPECT_THROW(OptimizerShard::ForRank(-1, 3, 10), std::invalid_argument);
  EXPECT_THROW(OptimizerShard::ForRank(0, 3, -1), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
