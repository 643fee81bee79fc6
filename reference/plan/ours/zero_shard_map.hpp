// entrenar's ZeroShardMap: which rank owns which transformer block. Who owns what is in no block (embedding, final
// norm, head) says owners.hpp.
#pragma once
#include <cstdint>
#include <vector>

namespace zerocts {

/// Every function throws std::invalid_argument for a block that the map does not have.
class ZeroShardMap {
 public:
  /// Block b belongs to rank b mod W.
  static ZeroShardMap RoundRobin(int64_t num_blocks, int world_size);
  /// W runs of blocks, lengths like OptimizerShard's.
  static ZeroShardMap Contiguous(int64_t num_blocks, int world_size);

  int64_t num_blocks() const { return static_cast<int64_t>(owner_.size()); }
  int world_size() const { return world_size_; }

  int BlockOwner(int64_t block) const;

  friend bool operator==(const ZeroShardMap&, const ZeroShardMap&) = default;

 private:
  ZeroShardMap(int64_t num_blocks, int world_size);  // not yet owned

  int world_size_;
  std::vector<int> owner_;  // of each block
};

}  // namespace zerocts
