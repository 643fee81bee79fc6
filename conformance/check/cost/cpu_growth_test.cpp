#include "conformance/check/cost/cpu_growth.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace zerocts {
namespace {

using Is = CostGrowth::Is;
constexpr int64_t kSteps = 200;

/// A rank whose steps take `us`, of them half in each call.
CostGrowth GrowthOf(const std::function<double(int64_t step)>& us) {
  Case c;
  c.experiment.steps = kSteps;
  RankObservation rank;
  for (int64_t step = 0; step < kSteps; ++step) {
    for (const char* call : {"accumulate", "step"})
      rank.resources.push_back({.step = step, .call = call, .cpu_ns = static_cast<int64_t>(us(step) * 500)});
  }
  return CpuGrowthOf(c, {rank});
}

TEST(CpuGrowth, TheSameCostIsSteadyHoweverOftenItIsDisturbed) {
  EXPECT_EQ(GrowthOf([](int64_t) { return 100; }).is, Is::kSteady);
  std::mt19937 random(1);
  for (int run = 0; run < 100; ++run) {
    std::exponential_distribution<> noise(1.0 / 20);
    EXPECT_EQ(GrowthOf([&](int64_t) { return 100 + noise(random); }).is, Is::kSteady) << run;
  }
}

TEST(CpuGrowth, AStepThatWalksAllEarlierOnesGrows) {
  std::mt19937 random(1);
  std::exponential_distribution<> noise(1.0 / 20);
  const CostGrowth growth = GrowthOf([&](int64_t step) { return 100 + static_cast<double>(step) + noise(random); });
  EXPECT_EQ(growth.is, Is::kGrowing);
  EXPECT_TRUE(growth.sentence.starts_with("rank 0: a step's CPU time grows by ")) << growth.sentence;
  EXPECT_NE(growth.sentence.find(" us per step from step 50 on ("), std::string::npos) << growth.sentence;
}

TEST(CpuGrowth, AMachineThatGetsBusyHalfwayIsNoGrowth) {
  EXPECT_NE(GrowthOf([](int64_t step) { return step < 125 ? 100 : 250; }).is, Is::kGrowing);
}

TEST(CpuGrowth, AnIntervalThatSpansTheLimitIsNotMeasured) {
  std::mt19937 random(1);
  std::uniform_real_distribution<> noise(0, 400);
  const auto is = GrowthOf([&](int64_t step) { return 100 + 0.45 * static_cast<double>(step) + noise(random); }).is;
  EXPECT_EQ(is, Is::kNotMeasured);
}

TEST(CpuGrowth, ARankThatTellsNoTimeIsNotMeasured) {
  EXPECT_EQ(CpuGrowthOf(Case(), {RankObservation()}).is, Is::kNotMeasured);
}

}  // namespace
}  // namespace zerocts
