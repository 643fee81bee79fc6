// Lists of intervals: sorted by element they must follow each other without gap or overlap, sorted by offset in a shard
// they must not meet.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <tuple>
#include <vector>

#include "reference/plan/judge/judge_parts.hpp"
#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {
namespace {

/// An interval that is not empty, within [0, length).
struct Held {
  int64_t begin, end;
  int32_t shard;
};

constexpr size_t kInCache = 2048;  // so many are sorted at once

bool Before(const Held& a, const Held& b) { return a.begin < b.begin; }

std::vector<Held> NotEmpty(std::span<const Interval> intervals) {
  std::vector<Held> held;
  held.reserve(intervals.size());
  for (const Interval& i : intervals) {
    if (i.begin < i.end) held.push_back({i.begin, i.end, i.shard});
  }
  return held;
}

/// Scatters by the highest bits of where they begin, so that each bucket is sorted inside the cache.
std::vector<Held> Scattered(std::span<const Interval> intervals, int shift, std::vector<size_t>& ends) {
  for (const Interval& i : intervals) ends[(i.begin >> shift) + 1] += i.begin < i.end;
  for (size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
  std::vector<Held> held(ends.back());
  std::vector<size_t> next(ends.begin(), ends.end() - 1);
  for (const Interval& i : intervals) {
    if (i.begin < i.end) held[next[i.begin >> shift]++] = {i.begin, i.end, i.shard};
  }
  return held;
}

/// In time that grows with their number and hardly faster.
std::vector<Held> SortedByBegin(std::span<const Interval> intervals, int64_t length) {
  const bool sorted = std::is_sorted(intervals.begin(), intervals.end(),
                                     [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  if (sorted || intervals.size() <= kInCache) {
    std::vector<Held> held = NotEmpty(intervals);
    if (!sorted) std::sort(held.begin(), held.end(), Before);
    return held;
  }
  const int bits = std::bit_width(static_cast<uint64_t>(length));
  const int buckets = std::min(bits, static_cast<int>(std::bit_width(intervals.size() / kInCache)));
  std::vector<size_t> ends((length >> (bits - buckets)) + 2, 0);
  std::vector<Held> held = Scattered(intervals, bits - buckets, ends);
  for (size_t b = 1; b < ends.size(); ++b) std::sort(held.begin() + ends[b - 1], held.begin() + ends[b], Before);
  return held;
}

/// The tensor of a position, and the element there; of padding the tensor behind it.
std::pair<int32_t, int64_t> ElementAt(const FlatRange& flat_range, int64_t position) {
  if (flat_range.tensors.empty()) return {Findings::kNoTensor, 0};
  const size_t index = std::min(flat_range.FirstBehind(position), flat_range.tensors.size() - 1);
  return {flat_range.tensors[index], std::max<int64_t>(position - flat_range.offset[index], 0)};
}

std::string ProblemOfExtents(const Judged& judged, const FlatRange& flat_range, const Interval& i) {
  if (i.shard < 0 || i.shard >= judged.group.shards())
    return fmt::format("its owner is {}: expected one of the {} shards", i.shard, judged.group.shards());
  if (i.begin < 0 || i.end < i.begin || i.end > flat_range.length)
    return fmt::format("the interval is [{}, {}): expected it within [0, {})", i.begin, i.end, flat_range.length);
  return "";
}

bool WithinExtents(const Judged& judged, const FlatRange& flat_range, const Interval& i) {
  return i.shard >= 0 && i.shard < judged.group.shards() && i.begin >= 0 && i.begin <= i.end &&
         i.end <= flat_range.length;
}

/// False: some interval is beyond.
bool JudgeExtents(const Judged& judged, const FlatRange& flat_range, std::span<const Interval> intervals,
                  Findings& findings) {
  const int64_t before = findings.Count(Property::kExtents);
  for (const Interval& i : intervals) {
    if (WithinExtents(judged, flat_range, i)) continue;
    const auto [tensor, element] = ElementAt(flat_range, i.begin);
    findings.Add(Property::kExtents, tensor, element, {}, [&] { return ProblemOfExtents(judged, flat_range, i); });
  }
  return findings.Count(Property::kExtents) == before;
}

void AddGap(const FlatRange& flat_range, int64_t begin, int64_t end, Findings& findings) {
  size_t index = 0;
  int64_t position = 0;
  if (begin >= end || !FirstElementIn(flat_range, begin, end, index, position)) return;
  const int64_t offset = flat_range.offset[index], first = position - offset;
  const int64_t last = std::min(end - offset, flat_range.numel[index]);
  findings.Add(Property::kCoverage, flat_range.tensors[index], first, {},
               [&] { return fmt::format("nobody holds [{}, {})", first, last); });
}

void AddOverlap(const Judged& judged, const FlatRange& flat_range, const Held& a, const Held& b, Findings& findings) {
  size_t index = 0;
  int64_t position = 0;
  if (!FirstElementIn(flat_range, b.begin, std::min(a.end, b.end), index, position)) return;
  const int rank_a = judged.group.FirstRankOf(a.shard), rank_b = judged.group.FirstRankOf(b.shard);
  std::vector<int> ranks = {std::min(rank_a, rank_b)};
  if (rank_a != rank_b) ranks.push_back(std::max(rank_a, rank_b));
  findings.Add(Property::kDisjointness, flat_range.tensors[index], position - flat_range.offset[index], ranks, [&] {
    return rank_a == rank_b ? "the rank holds it twice" : "both hold it, and they are no replicas of each other";
  });
}

void JudgeOrder(const Judged& judged, const FlatRange& flat_range, std::span<const Held> held, Findings& findings) {
  Held furthest{0, 0, 0};
  for (const Held& next : held) {
    if (next.begin > furthest.end) AddGap(flat_range, furthest.end, next.begin, findings);
    if (next.begin < furthest.end) AddOverlap(judged, flat_range, furthest, next, findings);
    if (next.end > furthest.end) furthest = next;
  }
  AddGap(flat_range, furthest.end, flat_range.length, findings);
}

void JudgeSlots(const Judged& judged, const FlatRange& flat_range, std::span<const Interval> intervals,
                Findings& findings) {
  if (std::all_of(intervals.begin(), intervals.end(),
                  [](const Interval& i) { return i.at == Interval::kBehindTheLast; }))
    return;
  std::vector<Interval> placed(intervals.begin(), intervals.end());
  std::vector<int64_t> ends(judged.group.shards(), 0);
  for (Interval& i : placed) {
    if (i.at == Interval::kBehindTheLast) i.at = ends[i.shard];
    ends[i.shard] = i.at + i.end - i.begin;
  }
  std::erase_if(placed, [](const Interval& i) { return i.begin == i.end; });
  const auto key = [](const Interval& i) { return std::tuple(i.shard, i.at); };
  std::sort(placed.begin(), placed.end(), [&](const Interval& a, const Interval& b) { return key(a) < key(b); });
  for (size_t n = 1; n < placed.size(); ++n) {
    const Interval &a = placed[n - 1], &b = placed[n];
    if (a.shard != b.shard || b.at >= a.at + a.end - a.begin) continue;
    const auto [tensor, element] = ElementAt(flat_range, b.begin);
    findings.Add(Property::kInvertibility, tensor, element, {judged.group.FirstRankOf(b.shard)},
                 [&] { return fmt::format("it lies at {} of the shard, where another element is", b.at); });
  }
}

void JudgeBegins(const Judged& judged, const FlatRange& flat_range, std::span<const Held> held, Findings& findings) {
  if (judged.plan.alignment == 1) return;
  for (const Held& h : held) {
    if (h.begin % judged.plan.alignment == 0) continue;
    const auto [tensor, element] = ElementAt(flat_range, h.begin);
    findings.Add(Property::kAlignment, tensor, element, {judged.group.FirstRankOf(h.shard)}, [&] {
      return fmt::format("the part begins at {}: expected a multiple of {}", h.begin, judged.plan.alignment);
    });
  }
}

}  // namespace

void JudgeIntervals(const Judged& judged, const FlatRange& flat_range, std::span<const Interval> intervals,
                    Findings& findings) {
  if (!JudgeExtents(judged, flat_range, intervals, findings)) return;
  JudgeSlots(judged, flat_range, intervals, findings);
  const std::vector<Held> held = SortedByBegin(intervals, flat_range.length);
  JudgeOrder(judged, flat_range, held, findings);
  JudgeBegins(judged, flat_range, held, findings);
}

}  // namespace zerocts::plan
