#include "reference/plan/costs/moves.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/plan/for_test/plans.hpp"

namespace zerocts::plan {
namespace {

Plan AnyPlan(const Model& model) {
  const std::vector<Rule> rules = {Even{}, Ceil{}, BlockCyclic{3}, Owners{{0, 0, 0}}};
  const Rule rule = rules[*rc::gen::inRange<size_t>(0, rules.size())];
  const bool flat = !std::holds_alternative<Owners>(rule) && *rc::gen::arbitrary<bool>();
  const int shards = *rc::gen::inRange(1, 6);
  Plan plan = DividedBy(flat ? Flat(rule) : Each(rule), shards, model);
  plan.mesh.axes.push_back({"replicate", *rc::gen::inRange(1, 3)});
  if (*rc::gen::arbitrary<bool>()) plan.sharding_of = {Plan::kWhole, Plan::kWhole, 0};
  return plan;
}

TEST(Moves, AreThoseByHand) {
  const Model model = TensorsOf({{6}});
  const Plan two = DividedBy(Each(Even{}), 2, model), three = DividedBy(Each(Even{}), 3, model);
  const Moves moves = MovesBetween(two, three, {.optimizer = 8});
  // 0 1 2 | 3 4 5 becomes 0 1 | 2 3 | 4 5: element 2 goes from 0 to 1; 4 and 5 go from 1 to 2. 3 stays on rank 1.
  EXPECT_EQ(moves.moves, (std::vector<Move>{{0, 1, 12}, {1, 2, 24}}));
  EXPECT_EQ(moves.total, 36);
  EXPECT_EQ(moves.least, 36);
  EXPECT_EQ(moves.gathered_whole, (3 + 3 + 6) * 12);
}

TEST(Moves, OfReplicasAreShared) {
  Plan before = DividedBy(Each(Even{}), 1, TensorsOf({{6}}));
  before.mesh = {{{"replicate", 2}, {"shard", 1}}};
  const Plan after = DividedBy(Each(Even{}), 4, TensorsOf({{6}}));
  EXPECT_EQ(MovesBetween(before, after, {}).moves, (std::vector<Move>{{0, 2, 4}, {1, 3, 4}}));
}

TEST(Moves, CountStatesThatBothPlansHave) {
  Plan two = DividedBy(Each(Even{}), 2, TensorsOf({{6}, {4}}));
  two.model[1].frozen = true;
  Plan three = two;
  three.mesh.axes[0].size = 3;
  // The frozen tensor's 0 1 | 2 3 becomes 0 1 | 2 | 3: element 3 goes from 1 to 2, without optimizer state.
  const Moves moves = MovesBetween(two, three, {.parameter = 2, .optimizer = 8});
  EXPECT_EQ(moves.moves, (std::vector<Move>{{0, 1, 10}, {1, 2, 22}}));
  EXPECT_EQ(moves.gathered_whole, (3 + 3 + 6) * 10 + (2 + 2 + 4) * 2);
  three.model[1].frozen = false;
  EXPECT_EQ(MovesBetween(two, three, {.parameter = 2, .optimizer = 8}).moves, moves.moves);
}

TEST(Moves, RefuseMorePairsThanCanBeListed) {
  const Plan before = DividedBy(Each(Even{}), 1, TensorsOf({{3000}}));
  Plan after = DividedBy(Each(Even{}), 3000, TensorsOf({{3000}}));
  EXPECT_EQ(MovesBetween(before, after, {}).moves.size(), 2999u);
  after.sharding_of[0] = Plan::kWhole;
  EXPECT_THROW(MovesBetween(DividedBy(Each(Even{}), 3000, TensorsOf({{3000}})), after, {}), std::invalid_argument);
}

TEST(Moves, RefuseBytesBeyond64Bits) {
  const Model huge = TensorsOf({{int64_t{1} << 56}});
  const Plan before = DividedBy(Each(Even{}), 1, huge);
  Plan after = DividedBy(Each(Even{}), 64, huge);
  after.sharding_of = {Plan::kWhole, Plan::kWhole, Plan::kWhole};
  EXPECT_THROW(MovesBetween(before, after, {}), std::invalid_argument);
}

TEST(Moves, RefuseAnotherModel) {
  const Plan a = DividedBy(Each(Even{}), 2, TensorsOf({{6}})), b = DividedBy(Each(Even{}), 2, TensorsOf({{7}}));
  EXPECT_THROW(MovesBetween(a, b, {.optimizer = 8}), std::invalid_argument);
}

TEST(Moves, RefuseReplicasThatAreNoneOfTheMesh) {
  const Affine both{{{0, {6}, 0, 0, {1}, {1}, {0, 1}, 1}, {1, {6}, 0, 0, {1}, {1}, {0, 1}, 1}}, {}};
  const Plan plan = DividedBy(Each(both), 2, TensorsOf({{6}}));
  EXPECT_THROW(MovesBetween(plan, plan, {.optimizer = 8}), std::invalid_argument);
}

/// P4: what goes by way of B cannot be less than what goes straight; nothing moves where nothing changes.
RC_GTEST_PROP(Moves, NeverGainByADetour, ()) {
  const Model model = TensorsOf({{*rc::gen::inRange(0, 9)}, {5, 2}, {*rc::gen::inRange(0, 30)}});
  const Plan a = AnyPlan(model), b = AnyPlan(model), c = AnyPlan(model);
  const auto moved = [](const Plan& from, const Plan& to) {
    const Moves moves = MovesBetween(from, to, {.optimizer = 8});
    RC_ASSERT(moves.total == moves.least);
    RC_ASSERT(moves.total <= moves.gathered_whole);
    return moves.total;
  };
  RC_ASSERT(moved(a, a) == 0);
  if (b.mesh.world_size() >= c.mesh.world_size()) RC_ASSERT(moved(a, c) <= moved(a, b) + moved(b, c));
}

}  // namespace
}  // namespace zerocts::plan
