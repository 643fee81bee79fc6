#include "reference/plan/shard_at.hpp"

#include <algorithm>

#include "reference/plan/cut.hpp"
#include "reference/plan/runs.hpp"

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

int ShardOfInterval(const Intervals& list, int64_t position) {
  for (const Interval& i : list.intervals) {
    if (i.begin <= position && position < i.end) return i.shard;
  }
  return ShardLookup::kNobody;
}

int ShardOfPiece(const Affine& affine, int64_t element) {
  for (const AffinePiece& piece : affine.pieces) {
    bool found = false;
    ForEachSpan(piece, [&](const Span& span) { found |= span.begin <= element && element < span.end; });
    if (found) return piece.shard;
  }
  return ShardLookup::kNobody;
}

}  // namespace

ShardLookup::ShardLookup(const Plan& plan, State state)
    : plan_(plan),
      sharding_(plan.sharding(state)),
      group_(plan.mesh, sharding_ ? sharding_->axes : std::vector<std::string>{}),
      places_(plan.model.size()) {
  for (const Division& division : sharding_ ? std::span(sharding_->divisions) : std::span<const Division>{}) {
    Stretches stretches(plan.model, division);
    while (const Stretch* stretch = stretches.Next()) {
      for (size_t i = 0; i < stretch->tensors.size(); ++i)
        places_[stretch->tensors[i]] = {&division, stretch->first + i, stretch->offset[i], stretch->length};
    }
  }
}

int ShardLookup::ShardOf(int32_t tensor, int64_t element) const {
  if (!sharding_) return kEverybody;
  const auto& [division, index, offset, length] = places_[tensor];
  if (!division) return kNobody;
  const int64_t position = offset + element, parts = PartsOf(*division, group_);
  int64_t shard = kNobody;
  if (IsCut(division->rule)) {
    const Stretch alone{.tensors = {tensor}, .length = length};
    const Cut cut = CutOf(plan_.model, alone, division->rule, parts);
    shard = PartOfUnit(cut, position / cut.inner % std::max<int64_t>(cut.units, 1));
  } else if (const auto* blocks = std::get_if<BlockCyclic>(&division->rule)) {
    shard = position / blocks->block % parts;
  } else if (const auto* owners = std::get_if<Owners>(&division->rule)) {
    shard = index < owners->owners.size() ? owners->owners[index] : kNobody;
  } else if (const auto* list = std::get_if<Intervals>(&division->rule)) {
    shard = ShardOfInterval(*list, position);
  } else {
    shard = ShardOfPiece(std::get<Affine>(division->rule), element);
  }
  return shard < group_.shards() ? static_cast<int>(shard) : kNobody;
}

}  // namespace zerocts::plan
