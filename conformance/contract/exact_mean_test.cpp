// Exact cases for a subject whose ranks multiply what they add by a rounded 1 / W: the mean is exact all the same.
#include <gtest/gtest.h>

#include "conformance/cases/case/reshard.hpp"
#include "conformance/cases/drawing/draw_case.hpp"
#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"
#include "conformance/cases/inputs/exact_mean.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/order/candidate_folds.hpp"
#include "conformance/contract/clause_for_test.hpp"
#include "conformance/contract/judge.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

TEST(ExactMean, IsKeptWhereTheReciprocalIsNearEnough) {
  for (const int W : {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 64}) EXPECT_TRUE(KeepsIntegerMeans(W)) << W;
  for (const int W : {7, 13, 14, 15, 26, 28, 63}) EXPECT_FALSE(KeepsIntegerMeans(W)) << W;
  const float seventh = 1.0f / 7.0f;
  EXPECT_NE(21.0f * seventh, 3.0f);
}

TEST(ExactMean, IsLostWhereNamesOfOneTensorCancel) {
  Case c;
  c.experiment.world_size = 3;
  c.experiment.parameters = {{"a", {2}, 0}, {"b", {2}, 0}};
  EXPECT_TRUE(HasExactMean(c));
  c.experiment.roles.tied = {{1, 0}};
  EXPECT_TRUE(HasExactMean(c)) << "codes have one sign";
  c.experiment.gradients = GradientSource::kOneHot;
  EXPECT_FALSE(HasExactMean(c));
  c.experiment.world_size = 4;
  EXPECT_TRUE(HasExactMean(c));
  c.checkpoint = {.after_step = 0, .how = CheckpointUse::kReshard, .damage = {}, .other_world_size = 3};
  EXPECT_FALSE(HasExactMean(c)) << "three load";
  c.experiment.gradients = GradientSource::kZero;
  EXPECT_TRUE(HasExactMean(c));
  Case of_group;
  of_group.experiment.world_size = 3;
  of_group.experiment.experts = {3, {{0, 1}}};
  EXPECT_TRUE(HasExactMean(of_group));
  of_group.experiment.experts.divisor = ExpertDivisor::kGroup;
  EXPECT_FALSE(HasExactMean(of_group));
}

std::vector<std::vector<uint32_t>> GradientBits(const Expected& expected) {
  std::vector<std::vector<uint32_t>> of_steps;
  for (const StepTrace& step : expected.steps) {
    std::vector<uint32_t>& bits = of_steps.emplace_back();
    for (const std::vector<float>& gradient : step.gradient) {
      for (const float x : gradient) bits.push_back(CanonicalBits(x));
    }
  }
  return of_steps;
}

/// Every chain of fused products that the probe looks for gives the mean.
void ExpectExactMean(const Case& c) {
  const std::vector<std::vector<uint32_t>> exact = GradientBits(ExpectedOf(c, OrderOf(c, {})));
  for (const Fold& fold : CandidateFolds(ShapeOf(c))) {
    if (ToString(fold).find("fma") == std::string::npos) continue;
    ASSERT_EQ(GradientBits(ExpectedOf(c, UniformOrder(c.experiment, fold, c.gradient_sync))), exact)
        << ToString(fold) << " of " << c;
  }
}

class EveryClauseOfRoundedMeans : public testing::TestWithParam<Clause> {};

INSTANTIATE_TEST_SUITE_P(Contract, EveryClauseOfRoundedMeans, testing::ValuesIn(AllClauses()),
                         [](const auto& info) { return NameForTest(info.param); });

TEST_P(EveryClauseOfRoundedMeans, DrawsMeansThatAreExact) {
  Capabilities can = EverythingCapable(), exact = can;
  can.reduction_orders = exact.reduction_orders = {"probed"};
  can.inexact_mean = true;
  const std::vector<int> world_sizes = {3, 5, 6, 7};
  const CaseSpace space = SpaceFor(FindClauseCheck(GetParam().id).space(), can);
  for (const int world_size : world_sizes) {
    const CaseConditions conditions{world_size, Precision::kFp32, {}, world_sizes};
    const std::string missing = Missing(space, conditions, can);
    if (KeepsIntegerMeans(world_size)) {
      EXPECT_EQ(missing, Missing(space, conditions, exact)) << world_size;
    }
    if (!missing.empty()) continue;
    for (const Case& c : Drawn(space, conditions, can, 15)) {
      if (!IsExact(c.experiment) || c.fidelity == Fidelity::kBounded || c.replicas > 1) continue;
      ExpectExactMean(IsResharded(c) ? SavingRun(c) : c);
      if (IsResharded(c)) ExpectExactMean(LoadingRun(c));
    }
  }
}

}  // namespace
}  // namespace zerocts
