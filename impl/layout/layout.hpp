// Which elements of which parameters each rank owns: a value that is printed, verified and compared.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerocts {

/// entrenar's OptimizerShard: contiguous ranges of the flat parameters whose sizes differ by at most one; the first
/// total mod W ranks get one more.
struct OptimizerShard {
  int64_t begin = 0, end = 0;                                                     // elements of the flat parameters
  static OptimizerShard ForRank(int rank, int world_size, int64_t total_params);  // throws std::invalid_argument
  int64_t shard_size() const { return end - begin; }
  bool OwnsParam(int64_t index) const { return index >= begin && index < end; }
  int64_t shard_memory_bytes() const { return 2 * 4 * shard_size(); }  // AdamW m and v in fp32
};

/// One piece of one parameter inside one rank's shard.
struct Piece {
  int parameter = 0;
  int64_t begin = 0, end = 0;  // elements of the parameter
  int64_t shard_offset = 0;    // where the piece starts in the owner's shard
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Parameters laid end to end in one flat buffer of `padded_numel` elements, cut into one shard per rank.
struct Layout {
  std::string plan;             // "contiguous", "padded"
  std::vector<int64_t> numel;   // per parameter
  std::vector<int64_t> offset;  // per parameter: first element in the flat buffer
  int64_t padded_numel = 0;
  std::vector<int64_t> shard_begin;  // [W + 1] elements of the flat buffer
  int world_size() const { return static_cast<int>(shard_begin.size()) - 1; }
  int64_t shard_numel(int rank) const { return shard_begin[rank + 1] - shard_begin[rank]; }  // padding included
  std::vector<Piece> PiecesOf(int rank) const;  // ascending; no padding, no empty piece
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Sizes differ by at most one, no padding.
Layout ContiguousLayout(const std::vector<int64_t>& numel, int world_size);
/// zero_optim_toy's buffer: the end is padded so that all shards are equal and a multiple of `alignment` elements.
Layout PaddedLayout(const std::vector<int64_t>& numel, int world_size, int64_t alignment = 1);
/// By name; throws std::invalid_argument with the names.
Layout MakeLayout(const std::string& plan, const std::vector<int64_t>& numel, int world_size);

/// "" or one sentence: every element of every parameter lies in exactly one shard, shards tile the flat buffer, nothing
/// overlaps.
std::string Problem(const Layout& layout);
std::string ToString(const Layout& layout);

}  // namespace zerocts
