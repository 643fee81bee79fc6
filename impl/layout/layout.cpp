// The value: where things stand in it, its pieces, its text. Its proof is layout_problem.cpp.
#include "impl/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace zerocts::engine {
namespace {

/// Elements of `shard`'s parts of cuts [first_cut, end_cut).
int64_t PartsNumel(const Layout& layout, int first_cut, int end_cut, int shard) {
  int64_t numel = 0;
  for (int c = first_cut; c < end_cut; ++c) numel += layout.cuts[c][shard + 1] - layout.cuts[c][shard];
  return numel;
}

/// Adds the pieces of one bucket, whose part begins at `shard_begin` of the shard. Returns where it ends.
int64_t AddPieces(const Layout& layout, int bucket, int shard, int64_t shard_begin, std::vector<Piece>& pieces) {
  const std::vector<int> placed = ParametersByOffset(layout, bucket);
  const auto end_of = [&](int p) { return layout.offset[p] + layout.numel[p]; };
  for (int c = layout.buckets[bucket].first_cut; c < layout.buckets[bucket].end_cut; ++c) {
    const int64_t part_begin = layout.cuts[c][shard], part_end = layout.cuts[c][shard + 1];
    auto p = std::partition_point(placed.begin(), placed.end(), [&](int q) { return end_of(q) <= part_begin; });
    for (; p != placed.end() && layout.offset[*p] < part_end; ++p) {
      const int64_t begin = std::max(layout.offset[*p], part_begin), end = std::min(end_of(*p), part_end);
      if (begin == end) continue;
      pieces.push_back(
          {*p, begin - layout.offset[*p], end - layout.offset[*p], begin, shard_begin + begin - part_begin});
    }
    shard_begin += part_end - part_begin;
  }
  return shard_begin;
}

}  // namespace

int64_t Layout::shard_numel(int shard) const { return PartsNumel(*this, 0, static_cast<int>(cuts.size()), shard); }

int64_t Layout::bucket_shard_begin(int bucket, int shard) const {
  return PartsNumel(*this, 0, buckets[bucket].first_cut, shard);
}

int64_t Layout::bucket_shard_numel(int bucket, int shard) const {
  return PartsNumel(*this, buckets[bucket].first_cut, buckets[bucket].end_cut, shard);
}

int Layout::BucketOf(int parameter) const {
  const auto holds = [&](const Bucket& bucket) {
    return std::binary_search(bucket.parameters.begin(), bucket.parameters.end(), parameter);
  };
  // A parameter with elements is in the last bucket that begins at or before it; without elements it may stand where
  // buckets touch.
  const auto begins_behind = [&](const Bucket& bucket) {
    return cuts[bucket.first_cut].front() > offset.at(parameter);
  };
  const auto behind = std::partition_point(buckets.begin(), buckets.end(), std::not_fn(begins_behind));
  if (behind != buckets.begin() && holds(*std::prev(behind))) return static_cast<int>(behind - buckets.begin()) - 1;
  const auto found = std::find_if(buckets.begin(), buckets.end(), holds);
  if (found == buckets.end()) throw std::invalid_argument(fmt::format("parameter {} is in no bucket", parameter));
  return static_cast<int>(found - buckets.begin());
}

std::vector<int> ParametersByOffset(const Layout& layout, int bucket) {
  std::vector<int> placed = layout.buckets[bucket].parameters;
  const auto before = [&](int a, int b) {
    return std::pair(layout.offset[a], layout.numel[a]) < std::pair(layout.offset[b], layout.numel[b]);
  };
  if (!std::is_sorted(placed.begin(), placed.end(), before)) std::stable_sort(placed.begin(), placed.end(), before);
  return placed;
}

std::vector<Piece> Layout::PiecesOf(int shard) const {
  std::vector<Piece> pieces;
  int64_t shard_begin = 0;
  for (int b = 0; b < std::ssize(buckets); ++b) shard_begin = AddPieces(*this, b, shard, shard_begin, pieces);
  return pieces;
}

std::vector<Piece> Layout::PiecesOf(int shard, int bucket) const {
  std::vector<Piece> pieces;
  AddPieces(*this, bucket, shard, bucket_shard_begin(bucket, shard), pieces);
  return pieces;
}

std::vector<Piece> Layout::WholeParameters() const {
  std::vector<Piece> pieces;
  for (int b = 0; b < std::ssize(buckets); ++b) {
    for (int p : ParametersByOffset(*this, b)) {
      if (numel[p] > 0) pieces.push_back({p, 0, numel[p], offset[p], offset[p]});
    }
  }
  return pieces;
}

std::vector<int64_t> ElementsOfShards(const Layout& layout) {
  std::vector<int64_t> elements(layout.shards(), 0);
  for (const auto& [first_cut, end_cut, parameters] : layout.buckets) {
    for (int p : parameters) {
      int64_t at = layout.offset[p];
      const int64_t end = at + layout.numel[p];
      auto cut = std::partition_point(layout.cuts.begin() + first_cut, layout.cuts.begin() + end_cut,
                                      [&](const Cut& c) { return c.back() <= at; });
      for (; at < end; ++cut) {
        auto part_end = std::upper_bound(cut->begin() + 1, cut->end(), at);
        for (; at < end && part_end != cut->end(); ++part_end) {
          const int64_t next = std::min(*part_end, end);
          elements[part_end - cut->begin() - 1] += next - at;
          at = next;
        }
      }
    }
  }
  return elements;
}

std::string ToString(const Layout& layout) {
  const int64_t total = std::accumulate(layout.numel.begin(), layout.numel.end(), int64_t{0});
  std::string text =
      fmt::format("{}: {} elements of {} parameters, {} of padding, {} shards, {} buckets", layout.plan, total,
                  layout.numel.size(), layout.padded_numel() - total, layout.shards(), layout.buckets.size());
  for (int b = 0; b < std::ssize(layout.buckets); ++b) {
    const int64_t begin = layout.bucket_begin(b);
    text += fmt::format("\nbucket {} [{}, {}) of {} parameters", b, begin, begin + layout.bucket_numel(b),
                        layout.buckets[b].parameters.size());
    for (int shard = 0; shard < layout.shards(); ++shard) {
      text += fmt::format("\n  shard {}, {} elements:", shard, layout.bucket_shard_numel(b, shard));
      for (const Piece& piece : layout.PiecesOf(shard, b))
        text += fmt::format(" {}[{}, {})", piece.parameter, piece.begin, piece.end);
    }
  }
  return text;
}

}  // namespace zerocts::engine
