// Proof of the judge: faulty planners are killed by their property under five seeds within 200 cases, benign ones pass,
// and each of P1 to P5 is broken alone by a plan of at most 3 tensors on 3 ranks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "reference/plan/for_test/faulty_planners.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::plan {
namespace {

/// Sizes around the number of shards, beyond 32 bits, none at all.
rc::Gen<int64_t> AnyNumel(int shards) {
  return rc::gen::weightedOneOf<int64_t>(
      {{4, rc::gen::inRange<int64_t>(0, 30)},
       {2, rc::gen::inRange<int64_t>(std::max(shards - 1, 0), shards + 2)},
       {1, rc::gen::element<int64_t>(64, 65, 63)},
       {1, rc::gen::element<int64_t>(int64_t{1} << 31, (int64_t{1} << 32) + 1, 3'000'000'001)}});
}

PlannerCase AnyCase() {
  PlannerCase c;
  c.replicas = *rc::gen::inRange(1, 4);
  c.shards = *rc::gen::inRange(1, 7);
  const int tensors = *rc::gen::inRange(1, 6);
  for (int t = 0; t < tensors; ++t) {
    const int64_t numel = *AnyNumel(c.shards);
    c.model.push_back({.name = "p" + std::to_string(t), .shape = {numel}});
    if (t > 0 && *rc::gen::inRange(0, 8) == 0) c.model[t].tied_to = 0, c.model[t].shape = c.model[0].shape;
  }
  return c;
}

bool Breaks(const FaultyPlanner& planner, const PlannerCase& c) {
  const Plan plan = planner.plan(c);
  return Problem(plan).empty() && Judge(plan).counts[static_cast<int>(planner.broken)] > 0;
}

rc::detail::TestResult Checked(uint64_t seed, const std::function<void()>& property) {
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = 200;
  return rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
}

TEST(FaultyPlanners, AreKilledByTheirPropertyUnderFiveSeeds) {
  EXPECT_GE(FaultyPlanners().size(), 20u);
  for (const FaultyPlanner& planner : FaultyPlanners()) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const rc::detail::TestResult result = Checked(seed, [&] { RC_ASSERT(!Breaks(planner, AnyCase())); });
      EXPECT_TRUE(result.is<rc::detail::FailureResult>()) << planner.name << " survives seed " << seed;
    }
  }
}

TEST(BenignPlanners, PassUnderFiveSeeds) {
  EXPECT_GE(BenignPlanners().size(), 6u);
  for (const BenignPlanner& planner : BenignPlanners()) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      std::string broken;
      Checked(seed, [&] {
        const PlannerCase c = AnyCase();
        const Plan plan = planner.plan(c);
        const std::string problem = Problem(plan);
        const Verdict verdict = Judge(plan);
        broken = problem + (verdict.sound() ? "" : ToString(verdict.firsts.front()));
        RC_ASSERT(broken.empty());
      });
      EXPECT_EQ(broken, "") << planner.name << ", seed " << seed;
    }
  }
}

/// The smallest case on which exactly `property` is broken, searched from the smallest up.
std::optional<PlannerCase> BrokenAlone(const FaultyPlanner& planner) {
  for (int tensors = 1; tensors <= 3; ++tensors) {
    for (int shards = 1; shards <= 3; ++shards) {
      for (int64_t numel = 0; numel <= 9; ++numel) {
        for (int replicas = 1; replicas * shards <= 3; ++replicas) {
          PlannerCase c{.replicas = replicas, .shards = shards};
          for (int t = 0; t < tensors; ++t) c.model.push_back({.name = std::to_string(t), .shape = {numel}});
          const Plan plan = planner.plan(c);
          if (!Problem(plan).empty()) continue;
          const Verdict verdict = Judge(plan);
          if (verdict.firsts.size() == 1 && verdict.firsts[0].property == planner.broken) return c;
        }
      }
    }
  }
  return std::nullopt;
}

TEST(FaultyPlanners, BreakEachOfTheFivePropertiesAloneAndSmall) {
  for (const Property property : {Property::kCoverage, Property::kConsistency, Property::kInvertibility,
                                  Property::kComposability, Property::kHomogeneity}) {
    bool found = false;
    for (const FaultyPlanner& planner : FaultyPlanners())
      found = found || (planner.broken == property && BrokenAlone(planner));
    EXPECT_TRUE(found) << NameOf(property);
  }
}

}  // namespace
}  // namespace zerocts::plan
