#include "reference/plan/runs/runs.hpp"

#include <algorithm>

#include "reference/plan/runs/cut.hpp"

namespace zerocts::plan {
namespace {

using Visit = std::function<void(const Span&)>;

void SpansOfCut(const Cut& cut, int shard, const Visit& visit) {
  if (shard >= cut.parts) return;
  const int64_t begin = cut.begin(shard), numel = (cut.begin(int64_t{shard} + 1) - begin) * cut.inner;
  if (numel == 0) return;
  for (int64_t o = 0; o < cut.outer; ++o) {
    const int64_t first = (o * cut.units + begin) * cut.inner;
    visit({first, first + numel, o * numel});
  }
}

void SpansOfBlocks(int64_t length, int64_t block, int64_t parts, int shard, const Visit& visit) {
  if (shard >= parts) return;
  int64_t at = 0;
  for (int64_t b = shard; b <= (length - 1) / block; b += parts, at += block) {
    visit({b * block, std::min((b + 1) * block, length), at});
  }
}

template <typename List, typename Items>
void TakeApart(Items List::*items, const List& list, std::unordered_map<int, Rule>& of_shard) {
  for (const auto& item : list.*items) {
    Rule& rule = of_shard.try_emplace(item.shard, List{}).first->second;
    (std::get<List>(rule).*items).push_back(item);
  }
}

void SpansOfIntervals(const Intervals& rule, int shard, const Visit& visit) {
  int64_t end = 0;
  for (const Interval& i : rule.intervals) {
    if (i.shard != shard) continue;
    const int64_t at = i.at == Interval::kBehindTheLast ? end : i.at;
    visit({i.begin, i.end, at});
    end = at + i.end - i.begin;
  }
}

/// How many of the last dimensions make one run, and its elements.
struct Inner {
  size_t dimensions = 0;
  int64_t numel = 1;
};

Inner InnerOf(const AffinePiece& piece) {
  Inner inner;
  for (auto d = std::ssize(piece.shape) - 1; d >= 0; --d) {
    const bool follows = piece.source_strides[d] == inner.numel && piece.dest_strides[d] == inner.numel;
    if (piece.shape[d] != 1 && !follows) break;
    ++inner.dimensions;
    inner.numel *= piece.shape[d];
  }
  return inner;
}

}  // namespace

int64_t PartsOf(const Division& division, const Group& group) {
  return division.parts > 0 ? division.parts : group.shards();
}

int64_t SpansOf(const AffinePiece& piece) {
  const int64_t numel = piece.numel();
  return numel == 0 ? 0 : numel / InnerOf(piece).numel;
}

void ForEachSpan(const AffinePiece& piece, const Visit& visit) {
  const Inner inner = InnerOf(piece);
  const size_t outer = piece.shape.size() - inner.dimensions;
  std::vector<int64_t> index(outer, 0);
  for (int64_t spans = SpansOf(piece); spans > 0; --spans) {
    int64_t source = piece.source_offset, dest = piece.dest_offset;
    for (size_t d = 0; d < outer; ++d) {
      source += index[d] * piece.source_strides[d];
      dest += index[d] * piece.dest_strides[d];
    }
    visit({source, source + inner.numel, dest});
    for (size_t d = outer; d-- > 0;) {
      if (++index[d] < piece.shape[d]) break;
      index[d] = 0;
    }
  }
}

void ForEachSpan(const Model& model, const FlatRange& flat_range, const Rule& rule, int64_t parts, int shard,
                 const Visit& visit) {
  if (IsCut(rule)) return SpansOfCut(CutOf(model, flat_range, rule, parts), shard, visit);
  if (const auto* blocks = std::get_if<BlockCyclic>(&rule)) {
    if (flat_range.length > 0) SpansOfBlocks(flat_range.length, blocks->block, parts, shard, visit);
  } else if (const auto* owners = std::get_if<Owners>(&rule)) {
    if (flat_range.first < owners->owners.size() && owners->owners[flat_range.first] == shard && flat_range.length > 0)
      visit({0, flat_range.length, 0});
  } else if (const auto* list = std::get_if<Intervals>(&rule)) {
    SpansOfIntervals(*list, shard, visit);
  } else {
    for (const AffinePiece& piece : std::get<Affine>(rule).pieces) {
      if (piece.shard == shard) ForEachSpan(piece, visit);
    }
  }
}

void ForEachRun(const Model& model, const FlatRange& flat_range, const Rule& rule, int64_t parts, int shard,
                const std::function<void(const Run&)>& visit) {
  ForEachSpan(model, flat_range, rule, parts, shard, [&](const Span& span) {
    for (size_t i = flat_range.FirstBehind(span.begin); i < flat_range.tensors.size(); ++i) {
      const int64_t offset = flat_range.offset[i];
      if (offset >= span.end) break;
      const int64_t begin = std::max(span.begin, offset), end = std::min(span.end, offset + flat_range.numel[i]);
      if (begin < end) visit({flat_range.tensors[i], begin - offset, end - offset, span.at + begin - span.begin});
    }
  });
}

bool IsList(const Rule& rule) {
  return std::holds_alternative<Intervals>(rule) || std::holds_alternative<Affine>(rule);
}

ShardRules::ShardRules(const Rule& rule) : rule_(rule), is_list_(IsList(rule)) {
  if (const auto* list = std::get_if<Intervals>(&rule)) {
    nothing_ = Intervals{};
    TakeApart(&Intervals::intervals, *list, of_shard_);
  } else if (const auto* affine = std::get_if<Affine>(&rule)) {
    nothing_ = Affine{};
    TakeApart(&Affine::pieces, *affine, of_shard_);
  }
}

const Rule& ShardRules::Of(int shard) const {
  if (!is_list_) return rule_;
  const auto found = of_shard_.find(shard);
  return found == of_shard_.end() ? nothing_ : found->second;
}

RankRuns::RankRuns(const Plan& plan, State state)
    : plan_(plan),
      state_(state),
      sharding_(plan.sharding(state)),
      group_(plan.mesh, sharding_ ? sharding_->axes : std::vector<std::string>{}) {
  for (const Division& division : sharding_ ? std::span(sharding_->divisions) : std::span<const Division>{})
    rules_.emplace_back(division.rule);
}

void RankRuns::ForEach(int rank, const std::function<void(const Run&)>& visit) const {
  for (int32_t t = 0; !sharding_ && t < std::ssize(plan_.model); ++t) {
    const int64_t numel = plan_.model[t].numel();
    if (Needs(plan_.model[t], state_) && numel > 0) visit({t, 0, numel, 0});
  }
  const int shard = group_.ShardOf(rank);
  for (size_t d = 0; d < rules_.size(); ++d) {
    const Division& division = sharding_->divisions[d];
    const auto other = std::find_if(division.exceptions.begin(), division.exceptions.end(),
                                    [&](const Exception& exception) { return exception.rank == rank; });
    const Rule& rule = other == division.exceptions.end() ? rules_[d].Of(shard) : other->rule;
    FlatRanges flat_ranges(plan_.model, division);
    while (const FlatRange* flat_range = flat_ranges.Next())
      ForEachRun(plan_.model, *flat_range, rule, PartsOf(division, group_), shard, visit);
  }
}

}  // namespace zerocts::plan
