#include "reference/plan/ours/zero_shard_map.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace zerocts {
namespace {

std::vector<int> Owners(const ZeroShardMap& map) {
  std::vector<int> owners;
  for (int64_t block = 0; block < map.num_blocks(); ++block) owners.push_back(map.BlockOwner(block));
  return owners;
}

using Ranks = std::vector<int>;

TEST(ZeroShardMap, RoundRobinDealsBlocksOut) {
  EXPECT_EQ(Owners(ZeroShardMap::RoundRobin(10, 3)), (Ranks{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(Owners(ZeroShardMap::RoundRobin(2, 5)), (Ranks{0, 1}));
}

TEST(ZeroShardMap, ContiguousGivesTheRemainderToTheFirstRanks) {
  EXPECT_EQ(Owners(ZeroShardMap::Contiguous(10, 3)), (Ranks{0, 0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(Owners(ZeroShardMap::Contiguous(2, 5)), (Ranks{0, 1}));
}

TEST(ZeroShardMap, RefusesWhatItDoesNotHave) {
  EXPECT_THROW(ZeroShardMap::RoundRobin(4, 0), std::invalid_argument);
  EXPECT_THROW(ZeroShardMap::Contiguous(-1, 2), std::invalid_argument);
  EXPECT_THROW(ZeroShardMap::RoundRobin(int64_t{1} << 40, 2), std::invalid_argument);
  const ZeroShardMap map = ZeroShardMap::RoundRobin(4, 3);
  EXPECT_THROW(map.BlockOwner(4), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
