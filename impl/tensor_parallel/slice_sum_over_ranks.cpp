#include "impl/tensor_parallel/slice_sum_over_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/layout/element_bytes.hpp"

namespace zerocts::engine {
namespace {

/// The part that has element i; the last one where none has.
size_t PartWith(int64_t i, const std::vector<IndexRange>& parts) {
  size_t part = 0;
  while (part + 1 < parts.size() && i >= parts[part].end) ++part;
  return part;
}

/// The rank that has element i; the first one when there are none.
int RankOf(int64_t i, const std::vector<IndexRange>& parts, int ranks) {
  const IndexRange& part = parts[PartWith(i, parts)];
  for (int rank = 0; rank < ranks; ++rank) {
    if (i < part.begin + PartOfElements(part.numel(), rank, ranks).end) return rank;
  }
  return 0;
}

/// Where slices begin, rank by rank: slices of one rank stand together, and all in the order of the ranks.
std::vector<int64_t> FirstSlices(const std::vector<Slice>& slices, const std::vector<IndexRange>& parts, int ranks) {
  std::vector<int64_t> first(static_cast<size_t>(ranks) + 1);
  for (const Slice& slice : slices) ++first[RankOf(slice.front().begin, parts, ranks) + 1];
  for (int rank = 0; rank < ranks; ++rank) first[rank + 1] += first[rank];
  return first;
}

/// [parts]: elements of others in front of this rank's.
std::vector<int64_t> PassedOver(const std::vector<IndexRange>& parts, const TensorGroup& group) {
  std::vector<int64_t> passed;
  int64_t own_before = 0;
  for (const IndexRange& part : parts) {
    const IndexRange own = group.OwnOf(part.numel());
    passed.push_back(part.begin + own.begin - own_before);
    own_before += own.numel();
  }
  return passed;
}

/// A rank's slices as ranges of what it has: its elements of each part, side by side.
std::vector<Slice> AmongOwn(const std::vector<Slice>& slices, const std::vector<IndexRange>& parts,
                            const TensorGroup& group) {
  const std::vector<int64_t> passed = PassedOver(parts, group);
  std::vector<Slice> moved = slices;
  for (Slice& slice : moved) {
    for (IndexRange& range : slice) {
      const int64_t others = passed[PartWith(range.begin, parts)];
      range = {range.begin - others, range.end - others};
    }
  }
  return moved;
}

std::vector<Slice> OwnSlices(const SliceOrder& order, int64_t numel, const CutParts& parts, const TensorGroup& group) {
  if (order.slices % group.size() != 0) {
    throw std::invalid_argument(
        fmt::format("{} tensor ranks add sums in {}: expected slices that they divide", group.size(), ToString(order)));
  }
  if (group.size() == 1) return SlicesOf(numel, parts, order.slices);
  const std::vector<IndexRange> side_by_side = parts.Of(numel);
  const std::vector<Slice> all = SlicesOf(numel, parts, order.slices);
  const std::vector<int64_t> first = FirstSlices(all, side_by_side, group.size());
  return AmongOwn({all.begin() + first[group.rank()], all.begin() + first[group.rank() + 1]}, side_by_side, group);
}

}  // namespace

SliceSumOverRanks::SliceSumOverRanks(const SliceOrder& order, int64_t numel, const CutParts& parts, TensorGroup& group)
    : SliceSum(order, OwnSlices(order, numel, parts, group)),
      group_(group),
      first_slice_(FirstSlices(SlicesOf(numel, parts, order.slices), parts.Of(numel), group.size())) {}

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
