// Affine pieces: their views are walked run by run, and between two boundaries the same pieces hold everything.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "reference/plan/judge/judge_parts.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

struct PieceRun {
  int64_t begin, end, at;
  const AffinePiece* piece;
};

bool IsPowerOfTwo(double scale) {
  int exponent = 0;
  return std::fabs(std::frexp(scale, &exponent)) == 0.5;
}

/// [least, most) of a view.
std::pair<int64_t, int64_t> ExtentOf(int64_t offset, const std::vector<int64_t>& shape,
                                     const std::vector<int64_t>& strides) {
  int64_t least = offset, most = offset;
  for (size_t d = 0; d < shape.size(); ++d) (strides[d] < 0 ? least : most) += (shape[d] - 1) * strides[d];
  return {least, most + 1};
}

std::string ProblemOfExtents(const Judged& judged, const FlatRange& flat_range, const Affine& affine,
                             const AffinePiece& piece) {
  const int shards = judged.group.shards();
  if (piece.shard < 0 || piece.shard >= shards)
    return fmt::format("a piece is of shard {}: expected one of the {} shards", piece.shard, shards);
  if (piece.numel() == 0) return "";
  const auto [begin, end] = ExtentOf(piece.source_offset, piece.shape, piece.source_strides);
  if (begin < 0 || end > flat_range.length)
    return fmt::format("a piece views elements [{}, {}): expected them within [0, {})", begin, end, flat_range.length);
  const auto [first, last] = ExtentOf(piece.dest_offset, piece.shape, piece.dest_strides);
  const bool counted = piece.shard < std::ssize(affine.shard_numel);
  if (first < 0 || (counted && last > affine.shard_numel[piece.shard])) {
    return fmt::format("a piece lies at [{}, {}) of a shard of {} elements", first, last,
                       counted ? affine.shard_numel[piece.shard] : 0);
  }
  return "";
}

void JudgeScale(const Judged& judged, const FlatRange& flat_range, const AffinePiece& piece, Findings& findings) {
  if (IsPowerOfTwo(piece.scale)) return;
  const bool lost = piece.scale == 0 || !std::isfinite(piece.scale);
  findings.Add(lost ? Property::kInvertibility : Property::kComposability, flat_range.tensors.front(),
               piece.source_offset, {judged.group.FirstRankOf(piece.shard)}, [&] {
                 return lost ? fmt::format("its scale is {}: the value cannot be had back", piece.scale)
                             : fmt::format(
                                   "its scale {} is no power of two: resharding by way of the whole tensor "
                                   "rounds, straight it does not",
                                   piece.scale);
               });
}

class Sweep {
 public:
  Sweep(const Judged& judged, const FlatRange& flat_range, Findings& findings)
      : judged_(judged), flat_range_(flat_range), findings_(findings) {}

  /// `runs` by their begin. Stops where more meet than any piece names: that is judged, and no further element.
  void Over(const std::vector<PieceRun>& runs) {
    size_t most_named = 1;
    for (const PieceRun& run : runs) most_named = std::max(most_named, run.piece->locations.size());
    int64_t position = 0;
    for (size_t next = 0; position < flat_range_.length;) {
      while (next < runs.size() && runs[next].begin <= position) active_.push_back(runs[next++]);
      std::erase_if(active_, [&](const PieceRun& run) { return run.end <= position; });
      int64_t end = next < runs.size() ? runs[next].begin : flat_range_.length;
      for (const PieceRun& run : active_) end = std::min(end, run.end);
      JudgeBetween(position, end);
      if (active_.size() > most_named) return;
      position = end;
    }
  }

 private:
  void JudgeBetween(int64_t begin, int64_t end) {
    const int32_t tensor = flat_range_.tensors.front();
    if (active_.empty()) {
      findings_.Add(Property::kCoverage, tensor, begin, {},
                    [&] { return fmt::format("nobody holds [{}, {})", begin, end); });
      return;
    }
    holders_.clear();
    for (const PieceRun& run : active_) holders_.push_back(run.piece->shard);
    std::sort(holders_.begin(), holders_.end());
    if (std::adjacent_find(holders_.begin(), holders_.end()) != holders_.end()) {
      const int twice = *std::adjacent_find(holders_.begin(), holders_.end());
      findings_.Add(Property::kDisjointness, tensor, begin, {judged_.group.FirstRankOf(twice)},
                    [] { return "the rank holds it twice"; });
      return;
    }
    JudgeHolders(tensor, begin);
  }

  /// Nobody names the other: they meet by mistake. Somebody does: then all must name exactly who holds the element.
  void JudgeHolders(int32_t tensor, int64_t element) {
    const bool nobody_shares = std::all_of(active_.begin(), active_.end(), [](const PieceRun& run) {
      return run.piece->locations == std::vector<int32_t>{run.piece->shard};
    });
    if (nobody_shares && active_.size() > 1) {
      findings_.Add(Property::kDisjointness, tensor, element, Ranks(holders_),
                    [] { return "they hold it and do not name each other as replicas"; });
      return;
    }
    for (const PieceRun& run : active_) {
      if (run.piece->locations != holders_) {
        findings_.Add(Property::kHomogeneity, tensor, element, Ranks({run.piece->shard}), [&] {
          return fmt::format("its piece names shards {} as holders: expected {}", fmt::join(run.piece->locations, ", "),
                             fmt::join(holders_, ", "));
        });
        return;
      }
    }
    for (const PieceRun& run : active_) {
      if (run.piece->scale == active_.front().piece->scale) continue;
      findings_.Add(
          Property::kConsistency, tensor, element, Ranks({active_.front().piece->shard, run.piece->shard}), [&] {
            return fmt::format("replicas hold it by scale {} and {}", active_.front().piece->scale, run.piece->scale);
          });
      return;
    }
  }

  std::vector<int> Ranks(const std::vector<int32_t>& shards) const {
    std::vector<int> ranks;
    for (const int32_t shard : shards) ranks.push_back(judged_.group.FirstRankOf(shard));
    return ranks;
  }

  const Judged& judged_;
  const FlatRange& flat_range_;
  Findings& findings_;
  std::vector<PieceRun> active_;
  std::vector<int32_t> holders_;
};

void JudgeSlots(const Judged& judged, const FlatRange& flat_range, std::vector<PieceRun>& runs, Findings& findings) {
  const auto key = [](const PieceRun& run) { return std::tuple(run.piece->shard, run.at); };
  std::sort(runs.begin(), runs.end(), [&](const PieceRun& a, const PieceRun& b) { return key(a) < key(b); });
  for (size_t n = 1; n < runs.size(); ++n) {
    const PieceRun &a = runs[n - 1], &b = runs[n];
    if (a.piece->shard != b.piece->shard || b.at >= a.at + a.end - a.begin) continue;
    findings.Add(Property::kInvertibility, flat_range.tensors.front(), b.begin,
                 {judged.group.FirstRankOf(b.piece->shard)},
                 [&] { return fmt::format("it lies at {} of the shard, where another element is", b.at); });
  }
}

}  // namespace

void JudgeAffine(const Judged& judged, const FlatRange& flat_range, const Affine& affine, Findings& findings) {
  const int64_t before = findings.Count(Property::kExtents);
  for (const AffinePiece& piece : affine.pieces) {
    const std::string problem = ProblemOfExtents(judged, flat_range, affine, piece);
    if (!problem.empty())
      findings.Add(Property::kExtents, flat_range.tensors.front(), piece.source_offset, {}, [&] { return problem; });
  }
  if (findings.Count(Property::kExtents) > before) return;

  std::vector<PieceRun> runs;
  for (const AffinePiece& piece : affine.pieces) {
    JudgeScale(judged, flat_range, piece, findings);
    ForEachSpan(piece, [&](const Span& span) { runs.push_back({span.begin, span.end, span.at, &piece}); });
  }
  JudgeSlots(judged, flat_range, runs, findings);
  std::sort(runs.begin(), runs.end(), [](const PieceRun& a, const PieceRun& b) { return a.begin < b.begin; });
  Sweep(judged, flat_range, findings).Over(runs);
}

}  // namespace zerocts::plan
