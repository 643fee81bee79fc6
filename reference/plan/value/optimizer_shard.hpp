// entrenar's OptimizerShard: contiguous ranges of the flat parameters whose sizes differ by at most one; the first
// total mod W ranks get one more. Every plan that divides something evenly asks here.
#pragma once
#include <algorithm>
#include <cstdint>

namespace zerocts {

/// Where part `part` of 0..parts begins: the formula.
inline int64_t EvenBegin(int64_t total, int64_t parts, int64_t part) {
  return part * (total / parts) + std::min(part, total % parts);
}

struct OptimizerShard {
  int64_t begin = 0, end = 0;  // elements of the flat parameters
  int64_t total = 0;           // elements of all ranks

  /// Throws std::invalid_argument unless world_size >= 1, 0 <= rank < world_size and total_params >= 0.
  static OptimizerShard ForRank(int rank, int world_size, int64_t total_params);

  int64_t shard_size() const { return end - begin; }

  int64_t shard_memory_bytes() const { return MomentBytes(shard_size()); }
  int64_t full_memory_bytes() const { return MomentBytes(total); }
  /// What this rank saves of full_memory_bytes(): 0 to 1. With a remainder the first ranks save less than 1 - 1 / W; a
  /// rank without elements saves everything; of nothing nothing can be saved.
  double memory_savings() const;

 private:
  static int64_t MomentBytes(int64_t numel) { return 2 * 4 * numel; }  // AdamW m and v in fp32
};

}  // namespace zerocts
