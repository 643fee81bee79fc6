#include "reference/plan/for_test/faulty_planners.hpp"

#include <algorithm>

#include "reference/plan/runs/cut.hpp"
#include "reference/plan/runs/runs.hpp"
#include "reference/plan/value/optimizer_shard.hpp"

namespace zerocts::plan {
namespace {

int32_t Count(const PlannerCase& c) { return static_cast<int32_t>(c.model.size()); }

/// Every tensor that is no other name, divided alike for all three states.
Plan Divided(const PlannerCase& c, std::vector<Division> divisions) {
  return {.planner = "for test",
          .model = c.model,
          .mesh = {{{"replicate", c.replicas}, {"shard", c.shards}}},
          .shardings = {{{"shard"}, std::move(divisions)}},
          .sharding_of = {0, 0, 0}};
}

std::vector<TensorRange> Own(const PlannerCase& c) {
  std::vector<TensorRange> ranges;
  for (int32_t t = 0; t < Count(c); ++t) {
    if (c.model[t].tied_to < 0) ranges.push_back({t, t + 1});
  }
  return ranges;
}

Plan DividedBy(const PlannerCase& c, Division division) {
  division.tensors = Own(c);
  return Divided(c, {std::move(division)});
}

/// A list of intervals per tensor, of an arithmetic that a planner wrote itself.
template <typename IntervalsOf>
Plan Listed(const PlannerCase& c, IntervalsOf intervals_of) {
  std::vector<Division> divisions;
  for (const TensorRange& range : Own(c)) {
    Intervals list;
    for (int32_t s = 0; s < c.shards; ++s) {
      for (Interval interval : intervals_of(c.model[range.first].numel(), s)) {
        interval.shard = s;
        list.intervals.push_back(interval);
      }
    }
    divisions.push_back({.tensors = {range}, .rule = std::move(list)});
  }
  return Divided(c, std::move(divisions));
}

Interval Between(int64_t begin, int64_t end) { return {begin, end, Interval::kBehindTheLast, 0}; }
using List = std::vector<Interval>;

/// Even parts with one of them changed.
template <typename Change>
Plan ChangedEven(const PlannerCase& c, Change change) {
  return Listed(c, [&](int64_t numel, int s) {
    int64_t begin = EvenBegin(numel, c.shards, s), end = EvenBegin(numel, c.shards, s + 1);
    change(numel, s, begin, end);
    return List{Between(begin, std::max(begin, end))};
  });
}

Plan WithOffsets(const PlannerCase& c, int64_t offset_alignment, int64_t alignment) {
  Division flat{.each = false, .rule = Ceil{}, .offset_alignment = offset_alignment};
  Plan plan = DividedBy(c, flat);
  plan.alignment = alignment;
  FlatRanges flat_ranges(plan.model, plan.shardings[0].divisions[0]);
  plan.shardings[0].divisions[0].length =
      (flat_ranges.Next()->length + alignment * c.shards - 1) / (alignment * c.shards) * (alignment * c.shards);
  return plan;
}

/// The runs of a rule as affine pieces, each changed by `change(piece, s)`.
template <typename Change>
Plan AsPieces(const PlannerCase& c, Change change) {
  std::vector<Division> divisions;
  for (const TensorRange& range : Own(c)) {
    const int64_t numel = c.model[range.first].numel();
    Affine affine;
    for (int s = 0; s < c.shards; ++s) {
      const int64_t begin = EvenBegin(numel, c.shards, s), end = EvenBegin(numel, c.shards, s + 1);
      AffinePiece piece{s, {end - begin}, begin, 0, {1}, {1}, {s}, 1};
      change(piece, s, numel);
      if (piece.numel() > 0) affine.pieces.push_back(piece);
    }
    divisions.push_back({.tensors = {range}, .rule = std::move(affine)});
  }
  return Divided(c, std::move(divisions));
}

Plan EveryoneHoldsAll(const PlannerCase& c, double scale_of_rank_1) {
  return AsPieces(c, [&](AffinePiece& piece, int s, int64_t numel) {
    piece.shape = {numel}, piece.source_offset = 0;
    piece.locations.clear();
    for (int32_t r = 0; r < c.shards; ++r) piece.locations.push_back(r);
    if (s == 1) piece.scale = scale_of_rank_1;
  });
}

}  // namespace

std::vector<FaultyPlanner> FaultyPlanners() {
  using enum Property;
  return {
      {"floor partition", kCoverage,
       [](const PlannerCase& c) {
         return Listed(c,
                       [&](int64_t n, int s) { return List{Between(s * (n / c.shards), (s + 1) * (n / c.shards))}; });
       }},
      {"last rank takes the remainder", kBalance,
       [](const PlannerCase& c) {
         Plan plan = ChangedEven(c, [&](int64_t n, int s, int64_t& begin, int64_t& end) {
           begin = s * (n / c.shards), end = s + 1 == c.shards ? n : begin + n / c.shards;
         });
         plan.balance = Count(c);
         return plan;
       }},
      {"first boundary is one late", kCoverage,
       [](const PlannerCase& c) {
         return ChangedEven(c, [](int64_t, int s, int64_t& begin, int64_t&) { begin += s == 1; });
       }},
      {"end is inclusive", kDisjointness,
       [](const PlannerCase& c) {
         return ChangedEven(c, [](int64_t n, int, int64_t&, int64_t& end) { end = std::min(end + 1, n); });
       }},
      {"ceil without a clamp at the end", kExtents,
       [](const PlannerCase& c) {
         return Listed(c, [&](int64_t n, int s) {
           const int64_t part = n / c.shards + (n % c.shards != 0);
           return List{Between(s * part, (s + 1) * part)};
         });
       }},
      {"ceil for parameters and floor for gradients", kCoverage,
       [](const PlannerCase& c) {
         Plan plan = DividedBy(c, {.rule = Ceil{}});
         plan.shardings.push_back(Listed(c, [&](int64_t n, int s) {
                                    return List{Between(s * (n / c.shards), (s + 1) * (n / c.shards))};
                                  }).shardings[0]);
         plan.sharding_of = {0, 1, 0};
         return plan;
       }},
      {"padding counted as owned", kExtents,
       [](const PlannerCase& c) {
         return ChangedEven(c, [&](int64_t n, int s, int64_t&, int64_t& end) {
           if (s + 1 == c.shards) end = (n + c.shards - 1) / c.shards * c.shards;
         });
       }},
      {"cut of the world in place of the group", kGroupRelative,
       [](const PlannerCase& c) { return DividedBy(c, {.rule = Even{}, .parts = int64_t{c.replicas} * c.shards}); }},
      {"tied name owned twice", kDisjointness,
       [](const PlannerCase& c) {
         return Divided(c, {{.tensors = {{0, Count(c)}}, .rule = Even{}}});
       }},
      {"more ranks than elements get none", kCoverage,
       [](const PlannerCase& c) {
         return Listed(c, [&](int64_t n, int s) {
           return n < c.shards ? List{} : List{Between(EvenBegin(n, c.shards, s), EvenBegin(n, c.shards, s + 1))};
         });
       }},
      {"first rank has everything of a small tensor, as well", kDisjointness,
       [](const PlannerCase& c) {
         return ChangedEven(c, [](int64_t n, int s, int64_t&, int64_t& end) {
           if (s == 0 && n < 8) end = n;
         });
       }},
      {"alignment forgotten behind the first tensor", kAlignment,
       [](const PlannerCase& c) { return WithOffsets(c, 1, 4); }},
      {"parts of a flat buffer not aligned", kAlignment,
       [](const PlannerCase& c) {
         Plan plan = DividedBy(c, {.each = false, .rule = Even{}, .offset_alignment = 4});
         plan.alignment = 4;
         return plan;
       }},
      {"32-bit product", kExtents,
       [](const PlannerCase& c) {
         return Listed(c, [&](int64_t n, int s) {
           const auto wrapped = [](int64_t x) { return int64_t{static_cast<int32_t>(static_cast<uint32_t>(x))}; };
           const int64_t begin = wrapped(s * n) / c.shards, end = wrapped((s + 1) * n) / c.shards;
           return List{Between(begin, end)};
         });
       }},
      {"plan of rank 1 differs", kHomogeneity,
       [](const PlannerCase& c) {
         Plan plan = DividedBy(c, {.rule = Even{}});
         if (c.shards * c.replicas > 1) plan.shardings[0].divisions[0].exceptions = {{1, Ceil{}}};
         return plan;
       }},
      {"a replica divides otherwise", kConsistency,
       [](const PlannerCase& c) {
         Plan plan = DividedBy(c, {.rule = Even{}});
         if (c.replicas > 1) plan.shardings[0].divisions[0].exceptions = {{c.shards, BlockCyclic{1}}};
         return plan;
       }},
      {"one replica is scaled", kConsistency, [](const PlannerCase& c) { return EveryoneHoldsAll(c, 0.5); }},
      {"bias divided by the number of ranks", kComposability,
       [](const PlannerCase& c) {
         return AsPieces(c, [&](AffinePiece& piece, int, int64_t) { piece.scale = 1.0 / c.shards; });
       }},
      {"optimizer dealt out in blocks beside the shards", kComposability,
       [](const PlannerCase& c) {
         Plan plan = DividedBy(c, {.rule = Even{}});
         plan.shardings.push_back(DividedBy(c, {.rule = BlockCyclic{1}}).shardings[0]);
         plan.sharding_of = {0, 0, 1};
         return plan;
       }},
      {"all pieces at the begin of the shard", kInvertibility,
       [](const PlannerCase& c) {
         return Listed(c, [&](int64_t n, int s) {
           const int64_t begin = EvenBegin(n, c.shards, s), end = EvenBegin(n, c.shards, s + 1);
           const int64_t middle = begin + (end - begin) / 2;
           return List{{begin, middle, 0, 0}, {middle, end, 0, 0}};
         });
       }},
      {"replicas that are not named", kHomogeneity,
       [](const PlannerCase& c) {
         return AsPieces(c, [&](AffinePiece& piece, int s, int64_t) {
           if (s == 0 && c.shards > 1) piece.locations = {0, 1};
         });
       }},
      {"owner beyond the group", kExtents,
       [](const PlannerCase& c) {
         Owners owners;
         for (size_t i = 0; i < Own(c).size(); ++i) owners.owners.push_back(static_cast<int32_t>(i) % (c.shards + 1));
         return DividedBy(c, {.rule = owners});
       }},
      {"last bucket cut off", kCoverage,
       [](const PlannerCase& c) {
         Division flat{.each = false, .rule = Even{}};
         Plan plan = DividedBy(c, flat);
         FlatRanges flat_ranges(plan.model, plan.shardings[0].divisions[0]);
         plan.shardings[0].divisions[0].length = flat_ranges.Next()->length / 8 * 8;
         return plan;
       }},
      {"buffer that two tensors share", kInvertibility,
       [](const PlannerCase& c) {
         Division flat{.each = false, .rule = Even{}};
         int64_t end = 0;
         for (const TensorRange& range : Own(c)) {
           flat.offsets.push_back(std::max<int64_t>(end - 1, 0));
           end = flat.offsets.back() + c.model[range.first].numel();
         }
         return DividedBy(c, flat);
       }},
      {"largest tensor forgotten", kCoverage,
       [](const PlannerCase& c) {
         Division each{.rule = Even{}};
         Plan plan = DividedBy(c, each);
         auto& ranges = plan.shardings[0].divisions[0].tensors;
         std::erase_if(ranges, [&](const TensorRange& r) {
           return std::all_of(c.model.begin(), c.model.end(),
                              [&](const Tensor& t) { return t.numel() <= c.model[r.first].numel(); });
         });
         return plan;
       }},
  };
}

std::vector<BenignPlanner> BenignPlanners() {
  return {
      {"rows of the last dimension", [](const PlannerCase& c) { return DividedBy(c, {.rule = Rows{.dimension = 1}}); }},
      {"everything to the last rank",
       [](const PlannerCase& c) {
         return DividedBy(c, {.rule = Owners{std::vector<int32_t>(Own(c).size(), c.shards - 1)}});
       }},
      {"shards in reverse, listed backwards",
       [](const PlannerCase& c) {
         Plan plan = Listed(c, [&](int64_t n, int s) {
           const int r = c.shards - 1 - s;
           return List{Between(EvenBegin(n, c.shards, r), EvenBegin(n, c.shards, r + 1))};
         });
         std::reverse(plan.shardings[0].divisions.begin(), plan.shardings[0].divisions.end());
         return plan;
       }},
      {"padding between all tensors", [](const PlannerCase& c) { return WithOffsets(c, 4, 4); }},
      {"every rank a replica of every other", [](const PlannerCase& c) { return EveryoneHoldsAll(c, 1); }},
      {"parameters by ceil and the rest even",
       [](const PlannerCase& c) {
         Plan plan = DividedBy(c, {.rule = Ceil{}});
         plan.shardings.push_back(DividedBy(c, {.rule = Even{}}).shardings[0]);
         plan.sharding_of = {0, 1, 1};
         return plan;
       }},
      {"blocks dealt out", [](const PlannerCase& c) { return DividedBy(c, {.each = false, .rule = BlockCyclic{3}}); }},
  };
}

}  // namespace zerocts::plan
