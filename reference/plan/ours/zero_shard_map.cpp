#include "reference/plan/ours/zero_shard_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts {
namespace {

constexpr int64_t kMostBlocks = 1 << 20;  // no model has as many; a name's number that is no block's is not allocated

}  // namespace

ZeroShardMap::ZeroShardMap(int64_t num_blocks, int world_size) : world_size_(world_size) {
  if (world_size < 1) throw std::invalid_argument(fmt::format("world_size is {}: expected at least 1", world_size));
  if (num_blocks < 0 || num_blocks > kMostBlocks)
    throw std::invalid_argument(fmt::format("num_blocks is {}: expected 0..{}", num_blocks, kMostBlocks));
  owner_.resize(num_blocks);
}

ZeroShardMap ZeroShardMap::RoundRobin(int64_t num_blocks, int world_size) {
  ZeroShardMap map(num_blocks, world_size);
  for (int64_t b = 0; b < num_blocks; ++b) map.owner_[b] = static_cast<int>(b % world_size);
  return map;
}

ZeroShardMap ZeroShardMap::Contiguous(int64_t num_blocks, int world_size) {
  ZeroShardMap map(num_blocks, world_size);
  for (int rank = 0; rank < world_size; ++rank) {
    const OptimizerShard run = OptimizerShard::ForRank(rank, world_size, num_blocks);
    std::fill(map.owner_.begin() + run.begin, map.owner_.begin() + run.end, rank);
  }
  return map;
}

int ZeroShardMap::BlockOwner(int64_t block) const {
  if (block >= 0 && block < num_blocks()) return owner_[block];
  throw std::invalid_argument(fmt::format("block is {}: expected one of the {} blocks", block, num_blocks()));
}

}  // namespace zerocts
