#include "impl/layout/zero_shard_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/layout/optimizer_shard.hpp"

namespace zerocts::engine {
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

void ZeroShardMap::RequireRank(int rank) const {
  if (rank >= 0 && rank < world_size_) return;
  throw std::invalid_argument(
      fmt::format("rank is {}: expected 0..{} for world_size {}", rank, world_size_ - 1, world_size_));
}

int ZeroShardMap::BlockOwner(int64_t block) const {
  if (block >= 0 && block < num_blocks()) return owner_[block];
  throw std::invalid_argument(fmt::format("block is {}: expected one of the {} blocks", block, num_blocks()));
}

bool ZeroShardMap::RankOwnsBlock(int rank, int64_t block) const {
  RequireRank(rank);
  return BlockOwner(block) == rank;
}

std::vector<int64_t> ZeroShardMap::BlocksForRank(int rank) const {
  RequireRank(rank);
  std::vector<int64_t> blocks;
  for (int64_t b = 0; b < num_blocks(); ++b) {
    if (owner_[b] == rank) blocks.push_back(b);
  }
  return blocks;
}

int64_t ZeroShardMap::NumBlocksForRank(int rank) const {
  RequireRank(rank);
  return std::count(owner_.begin(), owner_.end(), rank);
}

double ZeroShardMap::MemoryFractionForRank(int rank, int64_t block_numel, int64_t rest_numel) const {
  if (block_numel < 0 || rest_numel < 0) {
    throw std::invalid_argument(
        fmt::format("block_numel is {} and rest_numel {}: expected at least 0", block_numel, rest_numel));
  }
  const auto elements = [&](int64_t blocks, int64_t rest) {
    return static_cast<double>(blocks) * static_cast<double>(block_numel) + static_cast<double>(rest);
  };
  const double owned = elements(NumBlocksForRank(rank), rank == kOwnerOfTheRest ? rest_numel : 0);
  const double whole = elements(num_blocks(), rest_numel);
  return whole == 0 ? 0.0 : owned / whole;
}

}  // namespace zerocts::engine
