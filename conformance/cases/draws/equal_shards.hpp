// The yardstick for shapes: W contiguous shards whose sizes differ by at most one. It says where boundaries are likely,
// not where a subject has them.
#pragma once
#include <cstdint>
#include <vector>

namespace zerocts {

/// First elements of the shards and the total at the end, [W + 1]; the first total mod W shards hold one element more.
inline std::vector<int64_t> EqualShardBoundaries(int64_t total, int world_size) {
  std::vector<int64_t> boundaries = {0};
  for (int rank = 0; rank < world_size; ++rank) {
    boundaries.push_back(boundaries.back() + total / world_size + (rank < total % world_size));
  }
  return boundaries;
}

}  // namespace zerocts
