// Cases through plan files: what a file says of them, that they keep to it, and which files say nothing.
#include "conformance/cases/case/plan_file.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>

#include "conformance/cases/dimensions/dimension.hpp"
#include "conformance/cases/drawing/constraint_options.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/inputs/one_rank.hpp"

namespace zerocts {
namespace {

using plan::Plan;
using Shapes = std::vector<std::vector<int64_t>>;

/// All states divided by one rule on a mesh of replicas.
Plan Dividing(const Shapes& shapes, plan::Division division, int replicas, int shards) {
  Plan plan{.mesh = HybridMesh(replicas, shards), .sharding_of = {0, 0, 0}};
  for (const auto& shape : shapes)
    plan.model.push_back({.name = "t" + std::to_string(plan.model.size()), .shape = shape});
  division.tensors = {{0, static_cast<int32_t>(shapes.size())}};
  plan.shardings = {{{"shard"}, {division}}};
  return plan;
}

Plan Uneven() {
  return Dividing({{5}, {2, 3}},
                  {.each = false, .rule = plan::Intervals{{{0, 1, -1, 2}, {1, 9, -1, 0}, {9, 11, -1, 1}}}}, 1, 3);
}

/// t1 is frozen; `parameters`: a sharding or Plan::kWhole.
Plan Frozen(int parameters) {
  Plan plan = Dividing({{5}, {2, 3}, {3}}, {.rule = plan::Even{}}, 1, 3);
  plan.model[1].frozen = true;
  plan.sharding_of[static_cast<size_t>(plan::State::kParameters)] = parameters;
  return plan;
}

/// t2 is another name of t0.
Plan Tied() {
  Plan plan = Dividing({{5}, {2, 3}, {5}}, {.rule = plan::Even{}}, 1, 2);
  plan.model[2].tied_to = 0;
  return plan;
}

struct NamedPlan {
  std::string name;
  Plan plan;
};
void PrintTo(const NamedPlan& named, std::ostream* out) { *out << named.name; }

std::vector<NamedPlan> Plans() {
  return {{"uneven", Uneven()},
          {"degenerate", Dividing({{}, {0}, {2}}, {.rule = plan::Even{}}, 2, 2)},
          {"one parameter", Dividing({{8}}, {.rule = plan::Even{}}, 1, 4)},
          {"frozen", Frozen(Plan::kWhole)},
          {"frozen and divided", Frozen(0)},
          {"tied", Tied()},
          {"by owner", Dividing({{4}, {3, 4}, {4}}, {.rule = plan::Owners{{1, 0, 1}}}, 1, 2)}};
}

RunTerms TermsOfAll(const FilePlan& file) {
  return {.can = EverythingCapable(), .world_sizes = {file.world_size}, .precisions = {Precision::kFp32}};
}

CaseSpace SpaceWithoutCheckpoints() {
  CaseSpace space = SemanticsOf(EverythingOf(ShapeStyle::kMixed));
  space.checkpoint.reset();
  return space;
}

class EveryPlanFile : public testing::TestWithParam<NamedPlan> {
 protected:
  const FilePlan file_ = FilePlanOf("file:/plan.json", GetParam().plan);
  const Constraints constraints_ = {ConstraintOfFile(file_)};
  const CaseConditions conditions_{file_.world_size, Precision::kFp32, constraints_};
};

INSTANTIATE_TEST_SUITE_P(PlanFiles, EveryPlanFile, testing::ValuesIn(Plans()));

TEST_P(EveryPlanFile, IsKeptByDrawing) {
  for (const Case& c : Drawn(SpaceWithoutCheckpoints(), conditions_, EverythingCapable(), 100)) {
    EXPECT_TRUE(c.plan == file_.name && c.stage == file_.stage && c.replicas == file_.replicas) << c;
    EXPECT_TRUE(Fits(c, file_)) << c;
  }
}

TEST_P(EveryPlanFile, IsKeptByShrinking) {
  const rc::Gen<Case> gen = CasesOf(SpaceWithoutCheckpoints(), conditions_, EverythingCapable());
  rc::Random random(5);
  for (int i = 0; i < 20; ++i) {
    rc::Seq<rc::Shrinkable<Case>> simpler = gen(random.split(), 60).shrinks();
    while (const auto candidate = simpler.next()) EXPECT_TRUE(Meets(candidate->value(), constraints_));
  }
}

/// What coverage minimums ask for must be what can be drawn: what is excluded is never drawn, and what is not can be.
TEST_P(EveryPlanFile, ExcludesTheFeaturesThatItsCasesNeverHave) {
  CaseSpace space = SpaceWithoutCheckpoints();
  const auto counts_with = [&](const Constraints& constraints) {
    return FeatureCounts(Drawn(space, {file_.world_size, Precision::kFp32, constraints}, EverythingCapable(), 1000));
  };
  const std::map<std::string, int> without = counts_with({}), with = counts_with(constraints_);
  RunTerms terms = TermsOfAll(file_);
  terms.can = Narrowed(terms.can, constraints_);
  terms.constraints = constraints_;
  for (const auto& [feature, count] : without) {
    EXPECT_EQ(with.contains(feature), MissingFor(feature, terms).empty()) << feature << ", else in " << count;
  }
}

TEST(PlanFile, SaysWhoOwnsWhat) {
  const FilePlan file = FilePlanOf("file:x", Uneven());
  using Intervals = std::vector<Interval>;
  EXPECT_EQ(file.owned[0], (std::vector<Intervals>{{{1, 5}}, {{0, 4}}}));
  EXPECT_EQ(file.owned[1], (std::vector<Intervals>{{}, {{4, 6}}}));
  EXPECT_EQ(file.owned[2], (std::vector<Intervals>{{{0, 1}}, {}}));
  EXPECT_EQ(file.stage, 3);
}

/// Parameters are the only state of a frozen tensor: who has it is said where they are divided. A tied name has
/// no owner.
TEST(PlanFile, SaysWhoOwnsWhatIsFrozenOrTied) {
  const FilePlan whole = FilePlanOf("file:x", Frozen(Plan::kWhole)), divided = FilePlanOf("file:x", Frozen(0));
  EXPECT_EQ(whole.frozen, std::vector{1});
  EXPECT_EQ(whole.stage, 2);
  EXPECT_FALSE(whole.SaysOwnersOf(1));
  EXPECT_TRUE(whole.SaysOwnersOf(0));
  EXPECT_TRUE(divided.SaysOwnersOf(1));
  EXPECT_EQ(divided.owned[2][1], (std::vector<Interval>{{4, 6}}));
  const FilePlan tied = FilePlanOf("file:x", Tied());
  EXPECT_EQ(tied.tied, (std::vector<TiedParameter>{{2, 0}}));
  EXPECT_TRUE(tied.owned[0][2].empty() && tied.owned[1][2].empty());
}

TEST(PlanFile, IsForItsRanksAlone) {
  const Case c = CaseThrough(FilePlanOf("file:x", Uneven()));
  EXPECT_EQ(c.world_size(), 3);
  EXPECT_EQ(OnOneRank(c).plan, "");
}

TEST(PlanFile, SaysItsStage) {
  Plan plan = Uneven();
  plan.sharding_of = {Plan::kWhole, Plan::kWhole, 0};
  EXPECT_EQ(FilePlanOf("file:x", plan).stage, 1);
  plan.sharding_of = {Plan::kWhole, 0, 0};
  EXPECT_EQ(FilePlanOf("file:x", plan).stage, 2);
}

std::string Refusal(const Plan& plan) {
  try {
    FilePlanOf("file:x", plan);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "none";
}

TEST(PlanFile, IsRefusedWhereNoCaseCanTrainThroughIt) {
  Plan plan = Uneven();
  plan.model[0].frozen = plan.model[1].frozen = true;
  EXPECT_EQ(Refusal(plan), "expected a model with a trained tensor at least, got none");
  plan = Tied();
  plan.model[2].shape = {1, 5};
  EXPECT_EQ(Refusal(plan), "expected the tied name t2 with the shape of t0, got another");
  plan = Uneven();
  plan.sharding_of = {0, Plan::kWhole, Plan::kWhole};
  EXPECT_NE(Refusal(plan).find("expected a plan that divides optimizer state"), std::string::npos);
  plan = Uneven();
  plan.shardings.push_back(plan.shardings[0]);
  plan.shardings[1].divisions[0].rule = plan::Even{};
  plan.sharding_of = {0, 1, 0};
  EXPECT_EQ(Refusal(plan), "expected gradients of t0 divided as its optimizer state is, got another division");
  plan = Dividing({{4}}, {.rule = plan::Even{}}, 2, 2);
  std::swap(plan.mesh.axes[0], plan.mesh.axes[1]);
  EXPECT_NE(Refusal(plan).find("expected rank 1 to have shard 1, got shard 0"), std::string::npos);
  plan = Dividing({{1024, 1025}}, {.rule = plan::Even{}}, 1, 2);
  EXPECT_NE(Refusal(plan).find("expected at most 1048576 elements"), std::string::npos);
}

TEST(PlanFile, MustBeThere) { EXPECT_THROW(LoadFilePlan("file:/no/such/plan.json"), std::invalid_argument); }

}  // namespace
}  // namespace zerocts
