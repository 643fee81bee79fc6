#include "reference/plan/runs/shard_at.hpp"

#include <algorithm>
#include <iterator>

#include "reference/plan/runs/cut.hpp"
#include "reference/plan/runs/runs.hpp"

namespace zerocts::plan {
namespace {

int PartOfUnit(const Cut& cut, int64_t unit) {
  int64_t first = 0, end = cut.parts;
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    if (cut.begin(middle + 1) <= unit) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first == cut.parts ? ShardLookup::kNobody : static_cast<int>(first);
}

std::vector<Interval> Ascending(const Rule& rule, int shards) {
  std::vector<Interval> list;
  if (const auto* intervals = std::get_if<Intervals>(&rule)) list = intervals->intervals;
  if (const auto* affine = std::get_if<Affine>(&rule)) {
    for (const AffinePiece& piece : affine->pieces) {
      const bool all_hold_it = shards > 1 && std::ssize(piece.locations) == shards;
      const int32_t holder = all_hold_it ? ShardLookup::kEverybody : piece.shard;
      ForEachSpan(piece, [&](const Span& span) { list.push_back({span.begin, span.end, span.at, holder}); });
    }
  }
  std::sort(list.begin(), list.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < list.size(); ++i) {  // of two that overlap, the one that ends later answers for both
    if (list[i].end < list[i - 1].end) list[i].end = list[i - 1].end, list[i].shard = list[i - 1].shard;
  }
  return list;
}

}  // namespace

ShardLookup::ShardLookup(const Plan& plan, State state)
    : plan_(plan),
      sharding_(plan.sharding(state)),
      group_(plan.mesh, sharding_ ? sharding_->axes : std::vector<std::string>{}),
      entries_(plan.model.size()) {
  for (const Division& division : sharding_ ? std::span(sharding_->divisions) : std::span<const Division>{}) {
    std::vector<Interval> list = Ascending(division.rule, group_.shards());
    if (!list.empty()) lists_.emplace(&division, std::move(list));
    FlatRanges flat_ranges(plan.model, division);
    while (const FlatRange* flat_range = flat_ranges.Next()) {
      for (size_t i = 0; i < flat_range->tensors.size(); ++i)
        entries_[flat_range->tensors[i]] = {&division, flat_range->first + i, flat_range->offset[i],
                                            flat_range->length};
    }
  }
}

int ShardLookup::ShardInList(const Division& division, int64_t position) const {
  const auto list = lists_.find(&division);
  if (list == lists_.end()) return kNobody;
  const auto behind = std::partition_point(list->second.begin(), list->second.end(),
                                           [&](const Interval& i) { return i.begin <= position; });
  if (behind == list->second.begin() || std::prev(behind)->end <= position) return kNobody;
  return std::prev(behind)->shard;
}

int ShardLookup::ShardOf(int32_t tensor, int64_t element) const {
  if (!sharding_) return kEverybody;
  const auto& [division, index, offset, length] = entries_[tensor];
  if (!division) return kNobody;
  const int64_t position = offset + element, parts = PartsOf(*division, group_);
  int64_t shard = kNobody;
  if (IsCut(division->rule)) {
    const FlatRange alone{.tensors = {tensor}, .length = length};
    const Cut cut = CutOf(plan_.model, alone, division->rule, parts);
    shard = PartOfUnit(cut, position / cut.inner % std::max<int64_t>(cut.units, 1));
  } else if (const auto* blocks = std::get_if<BlockCyclic>(&division->rule)) {
    shard = position / blocks->block % parts;
  } else if (const auto* owners = std::get_if<Owners>(&division->rule)) {
    shard = index < owners->owners.size() ? owners->owners[index] : kNobody;
  } else {
    shard = ShardInList(*division, position);
  }
  return shard < group_.shards() ? static_cast<int>(shard) : kNobody;
}

}  // namespace zerocts::plan
