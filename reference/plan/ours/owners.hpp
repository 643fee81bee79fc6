// Who owns which tensor where tensors are never divided: one owner per tensor.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/plan/ours/zero_shard_map.hpp"

namespace zerocts {

/// Tensor i belongs to rank i mod W (CS336's ShardedOptimizer).
std::vector<int> RoundRobinOwners(size_t tensors, int world_size);

/// The largest first, each to the rank that has least so far. `load`: what ranks have already; {}: nothing.
std::vector<int> BalancedOwners(std::span<const int64_t> numel, int world_size, std::vector<int64_t> load = {});

/// Who owns what is in no transformer block, by a word in the name: embedding, norm; anything else is the head's.
struct RestOwners {
  int embedding = 0, norm = 0, head = 0;
  bool balanced = false;  // instead: each to the rank that has least so far, the largest first
};
/// entrenar's ZeroShardMap by names of tensors, of which block_count says how many blocks there are.
std::vector<int> BlockOwners(std::span<const std::string> names, std::span<const int64_t> numel,
                             const ZeroShardMap& blocks, const RestOwners& rest = {});

/// The first number in a name is its transformer block; -1 for a name without one. Throws std::invalid_argument for a
/// number beyond int.
int BlockOf(const std::string& name);
int64_t NumBlocks(std::span<const std::string> names);

}  // namespace zerocts
