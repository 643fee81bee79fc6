#include "impl/tensor_parallel/slice_sum_over_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {
namespace {

/// The rank that has element i of m; the first one when there are none.
int RankOf(int64_t i, int64_t m, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    if (i < PartOfElements(m, rank, ranks).end) return rank;
  }
  return 0;
}

/// Where slices begin, rank by rank: slices of one rank stand together, and all in the order of the ranks.
std::vector<int64_t> FirstSlices(const std::vector<Slice>& slices, int64_t m, int ranks) {
  std::vector<int64_t> first(static_cast<size_t>(ranks) + 1);
  for (const Slice& slice : slices) ++first[RankOf(slice.front().begin, m, ranks) + 1];
  for (int rank = 0; rank < ranks; ++rank) first[rank + 1] += first[rank];
  return first;
}

/// A rank's slices of parts of m elements, as stretches of what it has: its elements of each part, side by side.
std::vector<Slice> AmongOwn(const std::vector<Slice>& slices, int64_t m, const Stretch& own) {
  std::vector<Slice> moved = slices;
  for (Slice& slice : moved) {
    for (Stretch& stretch : slice) {
      const int64_t part = m == 0 ? 0 : stretch.begin / m;
      const int64_t passed = part * (m - own.numel()) + own.begin;
      stretch = {stretch.begin - passed, stretch.end - passed};
    }
  }
  return moved;
}

std::vector<Slice> OwnSlices(const SliceOrder& order, int64_t numel, int64_t parts, const TensorGroup& group) {
  if (order.slices % group.size() != 0) {
    throw std::invalid_argument(
        fmt::format("{} tensor ranks add sums in {}: expected slices that they divide", group.size(), ToString(order)));
  }
  if (group.size() == 1) return SlicesOf(numel, parts, order.slices);
  const int64_t m = numel / parts;
  const std::vector<Slice> all = SlicesOf(numel, parts, order.slices);
  const std::vector<int64_t> first = FirstSlices(all, m, group.size());
  return AmongOwn({all.begin() + first[group.rank()], all.begin() + first[group.rank() + 1]}, m, group.OwnOf(m));
}

}  // namespace

SliceSumOverRanks::SliceSumOverRanks(const SliceOrder& order, int64_t numel, int64_t parts, TensorGroup& group)
    : SliceSum(order, OwnSlices(order, numel, parts, group)),
      group_(group),
      first_slice_(FirstSlices(SlicesOf(numel, parts, order.slices), numel / parts, group.size())) {}

void SliceSumOverRanks::Evaluate(Ops& ops, TensorMemory& memory, const Products& products, float* out, int64_t numel) {
  std::vector<int64_t> cut;
  for (const int64_t slice : first_slice_) cut.push_back(slice * numel);
  float* sums = group_.Window(first_slice_.back() * numel);
  float* own = sums + cut[group_.rank()];
  for (const Slice& slice : slices()) {
    SumSlice(ops, memory, slice, products, own, numel);
    own += numel;
  }
  group_.Gather(sums, sums, {cut}, "sums of slices");
  ops.Copy(out, sums, numel * kFloatBytes);
  for (int64_t slice = 1; slice < first_slice_.back(); ++slice) AddSlice(ops, out, sums + slice * numel, numel);
}

}  // namespace zerocts::engine
