// Sums in closed form against the runs one by one.
#include "reference/plan/runs/totals.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/plan/for_test/plans.hpp"
#include "reference/plan/runs/runs.hpp"
#include "reference/plan/runs/shard_at.hpp"

namespace zerocts::plan {
namespace {

std::vector<int64_t> CountedOneByOne(const Plan& plan, const std::vector<int64_t>& weight) {
  const Group group(plan.mesh, plan.shardings[0].axes);
  const RankRuns runs(plan, State::kParameters);
  std::vector<int64_t> held;
  for (int shard = 0; shard < group.shards(); ++shard) {
    int64_t sum = 0;
    runs.ForEach(group.FirstRankOf(shard), [&](const Run& run) { sum += (run.end - run.begin) * weight[run.tensor]; });
    held.push_back(sum);
  }
  return held;
}

Rule AnyRule(int kind) {
  switch (kind) {
    case 0: return Even{};
    case 1: return Ceil{};
    case 2: return Ceil{.part = *rc::gen::inRange<int64_t>(1, 6)};
    case 3: return BlockCyclic{*rc::gen::inRange<int64_t>(1, 6)};
    case 4: return Rows{.dimension = *rc::gen::inRange(0, 3)};
    default: return Owners{*rc::gen::container<std::vector<int32_t>>(5, rc::gen::inRange(0, 5))};
  }
}

RC_GTEST_PROP(Totals, AreTheSumsOfRuns, ()) {
  Model model;
  for (int t = 0; t < 5; ++t) {
    const auto shape = *rc::gen::container<std::vector<int64_t>>(*rc::gen::inRange(0, 4), rc::gen::inRange(0, 6));
    model.push_back({.name = std::to_string(t), .shape = shape});
  }
  Division division = Each(AnyRule(*rc::gen::inRange(0, 6)));
  division.each = division.rule.index() == 2 || division.rule.index() == 3 || *rc::gen::arbitrary<bool>();
  division.parts = *rc::gen::inRange(0, 7);
  if (!division.each) division.offset_alignment = *rc::gen::inRange(1, 5);
  const Plan plan = DividedBy(division, *rc::gen::inRange(1, 6), model);
  const auto weight = *rc::gen::container<std::vector<int64_t>>(5, rc::gen::inRange(1, 4));
  RC_ASSERT(HeldByShards(plan, plan.shardings[0], weight) == CountedOneByOne(plan, weight));
}

RC_GTEST_PROP(ShardLookup, SaysWhoHoldsEachElement, ()) {
  Division division = Each(AnyRule(*rc::gen::inRange(0, 6)));
  division.each = division.rule.index() == 2 || division.rule.index() == 3 || *rc::gen::arbitrary<bool>();
  const Plan plan = DividedBy(division, *rc::gen::inRange(1, 6), TensorsOf({{5, 3}, {0}, {7}, {2, 2, 3}, {1}}));
  const ShardLookup lookup(plan, State::kParameters);
  const RankRuns runs(plan, State::kParameters);
  for (int rank = 0; rank < plan.mesh.world_size(); ++rank) {
    runs.ForEach(rank, [&](const Run& run) {
      for (int64_t e = run.begin; e < run.end; ++e) RC_ASSERT(lookup.ShardOf(run.tensor, e) == rank);
    });
  }
}

TEST(ShardLookup, KnowsAPieceThatAllShardsHold) {
  const auto piece = [](int32_t shard, int64_t begin, std::vector<int32_t> locations) {
    return AffinePiece{shard, {2}, begin, 0, {1}, {1}, std::move(locations)};
  };
  const Affine affine{{piece(0, 0, {0, 1}), piece(1, 0, {0, 1}), piece(1, 2, {1})}, {}};
  const Plan plan = DividedBy(Each(affine), 2, TensorsOf({{4}}));
  const ShardLookup lookup(plan, State::kParameters);
  EXPECT_EQ(lookup.ShardOf(0, 1), ShardLookup::kEverybody);
  EXPECT_EQ(lookup.ShardOf(0, 3), 1);
}

TEST(ShardLookup, FindsTheLongerOfTwoIntervalsThatOverlap) {
  const Intervals list{{{0, 9, Interval::kBehindTheLast, 1}, {2, 3, Interval::kBehindTheLast, 0}}};
  const Plan plan = DividedBy(Each(list), 2, TensorsOf({{9}}));
  const ShardLookup lookup(plan, State::kParameters);
  for (int64_t e = 0; e < 9; ++e) EXPECT_EQ(lookup.ShardOf(0, e), 1) << e;
}

std::vector<Run> RunsOfRank(const Plan& plan, int rank) {
  std::vector<Run> all;
  RankRuns(plan, State::kParameters).ForEach(rank, [&](const Run& run) { all.push_back(run); });
  return all;
}

TEST(RankRuns, TakeListsApartByShard) {
  const Intervals list{{{4, 6, 9, 1}, {0, 2, Interval::kBehindTheLast, 0}, {6, 7, Interval::kBehindTheLast, 1}}};
  const Plan plan = DividedBy(Each(list), 3, TensorsOf({{7}}));
  using Runs = std::vector<zerocts::plan::Run>;
  EXPECT_EQ(RunsOfRank(plan, 0), (Runs{{0, 0, 2, 0}}));
  EXPECT_EQ(RunsOfRank(plan, 1), (Runs{{0, 4, 6, 9}, {0, 6, 7, 11}}));
  EXPECT_EQ(RunsOfRank(plan, 2), (Runs{}));
}

TEST(Totals, CountPaddingAsSlots) {
  const std::vector<int64_t> one(2, 1);
  Plan plan = DividedBy(Each(Ceil{}), 3, TensorsOf({{4}, {7, 2}}));
  EXPECT_EQ(HeldByShards(plan, plan.shardings[0], one), (std::vector<int64_t>{7, 7, 4}));
  EXPECT_EQ(SlotsOfShards(plan, plan.shardings[0], one), (std::vector<int64_t>{7, 7, 7}));
  plan.shardings[0].divisions[0].rule = Rows{};
  EXPECT_EQ(HeldByShards(plan, plan.shardings[0], one), (std::vector<int64_t>{8, 8, 2}));
  EXPECT_EQ(SlotsOfShards(plan, plan.shardings[0], one), (std::vector<int64_t>{8, 8, 8}));
}

TEST(Group, KnowsShardsAndReplicas) {
  const Mesh mesh = {{{"replicate", 2}, {"tensor", 3}, {"shard", 2}}};
  const std::vector<std::string> axes = {"shard", "replicate"};
  const Group group(mesh, axes);
  EXPECT_EQ(group.shards(), 4);
  EXPECT_EQ(group.replicas(), 3);
  for (int rank = 0; rank < 12; ++rank) {
    const std::vector<int> ranks = group.RanksOf(group.ShardOf(rank));
    EXPECT_EQ(std::count(ranks.begin(), ranks.end(), rank), 1) << rank;
    EXPECT_EQ(ranks.size(), 3u);
    EXPECT_EQ(group.FirstRankOf(group.ShardOf(rank)), ranks.front());
  }
}

}  // namespace
}  // namespace zerocts::plan
