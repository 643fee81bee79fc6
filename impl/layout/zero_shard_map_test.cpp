#include "impl/layout/zero_shard_map.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts::engine {
namespace {

using Blocks = std::vector<int64_t>;

Blocks Counts(const ZeroShardMap& map) {
  Blocks counts;
  for (int rank = 0; rank < map.world_size(); ++rank) counts.push_back(map.NumBlocksForRank(rank));
  return counts;
}

TEST(ZeroShardMap, RoundRobinDealsBlocksOut) {
  const ZeroShardMap map = ZeroShardMap::RoundRobin(24, 4);
  EXPECT_EQ(Counts(map), (Blocks{6, 6, 6, 6}));
  EXPECT_EQ(map.BlocksForRank(0), (Blocks{0, 4, 8, 12, 16, 20}));
  EXPECT_EQ(map.BlockOwner(7), 3);
  EXPECT_EQ(Counts(ZeroShardMap::RoundRobin(10, 3)), (Blocks{4, 3, 3}));
}

TEST(ZeroShardMap, ContiguousGivesTheRemainderToTheFirstRanks) {
  const ZeroShardMap map = ZeroShardMap::Contiguous(10, 3);
  EXPECT_EQ(Counts(map), (Blocks{4, 3, 3}));
  EXPECT_EQ(map.BlocksForRank(1), (Blocks{4, 5, 6}));
  EXPECT_EQ(map.BlockOwner(3), 0);
  EXPECT_EQ(map.BlockOwner(4), 1);
}

TEST(ZeroShardMap, GivesEveryBlockOneOwner) {
  for (const ZeroShardMap& map : {ZeroShardMap::RoundRobin(11, 4), ZeroShardMap::Contiguous(11, 4),
                                  ZeroShardMap::RoundRobin(2, 5), ZeroShardMap::Contiguous(2, 5)}) {
    for (int64_t block = 0; block < map.num_blocks(); ++block) {
      int owners = 0;
      for (int rank = 0; rank < map.world_size(); ++rank) owners += map.RankOwnsBlock(rank, block);
      EXPECT_EQ(owners, 1) << block;
    }
  }
}

TEST(ZeroShardMap, CountsEmbeddingAndHeadAtRank0) {
  const ZeroShardMap map = ZeroShardMap::Contiguous(3, 2);
  EXPECT_DOUBLE_EQ(map.MemoryFractionForRank(0, 100, 500), 700.0 / 800.0);
  EXPECT_DOUBLE_EQ(map.MemoryFractionForRank(1, 100, 500), 100.0 / 800.0);
}

TEST(ZeroShardMap, OfNoBlocksGivesTheRestToRank0) {
  const ZeroShardMap map = ZeroShardMap::RoundRobin(0, 3);
  EXPECT_EQ(map.MemoryFractionForRank(0, 100, 500), 1.0);
  EXPECT_EQ(map.MemoryFractionForRank(2, 100, 500), 0.0);
  EXPECT_EQ(map.MemoryFractionForRank(0, 100, 0), 0.0);
}

TEST(ZeroShardMap, RefusesWhatItDoesNotHave) {
  EXPECT_THROW(ZeroShardMap::RoundRobin(4, 0), std::invalid_argument);
  EXPECT_THROW(ZeroShardMap::Contiguous(-1, 2), std::invalid_argument);
  EXPECT_THROW(ZeroShardMap::RoundRobin(int64_t{1} << 40, 2), std::invalid_argument);
  const ZeroShardMap map = ZeroShardMap::RoundRobin(4, 3);
  EXPECT_THROW(map.BlockOwner(4), std::invalid_argument);
  EXPECT_THROW(map.BlocksForRank(3), std::invalid_argument);
  EXPECT_THROW(map.NumBlocksForRank(-1), std::invalid_argument);
  EXPECT_THROW(map.RankOwnsBlock(3, 0), std::invalid_argument);
  EXPECT_THROW(map.MemoryFractionForRank(0, -1, 0), std::invalid_argument);
  try {
    map.MemoryFractionForRank(3, 1, 1);
    FAIL();
  } catch (const std::invalid_argument& refused) {
    EXPECT_STREQ(refused.what(), "rank is 3: expected 0..2 for world_size 3");
  }
}

}  // namespace
}  // namespace zerocts::engine
