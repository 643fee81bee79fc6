// Which elements of which parameters each rank owns, and what travels together: a value that is printed, saved, loaded,
// verified and compared. All shard plans (plans.hpp) are made of the same three things:
//   flat buffer   the parameters, each contiguous, with padding between or behind them: [0, padded_numel)
//   cut           a range of the flat buffer that is divided into one part per shard; cuts tile it
//   bucket        consecutive cuts that are gathered and reduced at once
// A rank's shard is its parts of all cuts, one after the other.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace zerocts::engine {

/// Part s is elements [cut[s], cut[s + 1]) of the flat buffer: [shards + 1], never falling.
using Cut = std::vector<int64_t>;

/// One piece of one parameter inside one shard.
struct Piece {
  int parameter = 0;
  int64_t begin = 0, end = 0;  // elements of the parameter
  int64_t flat_offset = 0;     // where the piece starts in the flat buffer
  int64_t shard_offset = 0;    // where it starts in the owner's shard
  int64_t numel() const { return end - begin; }
  friend bool operator==(const Piece&, const Piece&) = default;
};

struct Bucket {
  int first_cut = 0, end_cut = 0;
  std::vector<int> parameters;  // ascending; without elements too
  friend bool operator==(const Bucket&, const Bucket&) = default;
};

struct Layout {
  std::string plan;             // its name, see plans.hpp
  std::vector<int64_t> numel;   // per parameter
  std::vector<int64_t> offset;  // per parameter: first element in the flat buffer
  std::vector<Cut> cuts;        // ascending
  std::vector<Bucket> buckets;  // ascending; every parameter is in one

  int shards() const { return cuts.empty() ? 0 : static_cast<int>(cuts.front().size()) - 1; }
  int64_t padded_numel() const { return cuts.empty() ? 0 : cuts.back().back(); }
  int64_t shard_numel(int shard) const;  // padding included

  // One bucket's range of the flat buffer, and of a shard.
  int64_t bucket_begin(int bucket) const { return cuts[buckets[bucket].first_cut].front(); }
  int64_t bucket_numel(int bucket) const { return cuts[buckets[bucket].end_cut - 1].back() - bucket_begin(bucket); }
  int64_t bucket_shard_begin(int bucket, int shard) const;
  int64_t bucket_shard_numel(int bucket, int shard) const;
  int BucketOf(int parameter) const;

  /// Ascending by offset in the shard; no padding, no empty piece.
  std::vector<Piece> PiecesOf(int shard) const;
  std::vector<Piece> PiecesOf(int shard, int bucket) const;  // offsets as above, not relative to the bucket
  /// Every parameter with elements as one piece: the shard of who holds everything. shard_offset = flat_offset.
  std::vector<Piece> WholeParameters() const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// One bucket's parameters as they stand in the flat buffer; without elements too. By-owner plans do not keep the order
/// of registration.
std::vector<int> ParametersByOffset(const Layout& layout, int bucket);

/// Per shard: its elements without padding.
std::vector<int64_t> ElementsOfShards(const Layout& layout);

/// "" or one sentence: every element of every parameter lies in exactly one shard, cuts tile the flat buffer, buckets
/// tile the cuts, every parameter is in the bucket that holds its elements, nothing overlaps.
std::string Problem(const Layout& layout);
std::string ToString(const Layout& layout);

}  // namespace zerocts::engine
