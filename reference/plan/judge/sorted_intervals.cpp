#include "reference/plan/judge/sorted_intervals.hpp"

#include <algorithm>
#include <bit>

namespace zerocts::plan {
namespace {

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

}  // namespace

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

}  // namespace zerocts::plan
