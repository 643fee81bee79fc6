// Exact cases for a subject whose ranks multiply what they add by a rounded 1 / W: the mean is exact all the same.
#include <gtest/gtest.h>

#include "conformance/cases/drawn_for_test.hpp"
#include "conformance/cases/exact_mean.hpp"
#include "conformance/cases/test_spaces.hpp"
#include "conformance/check/candidate_folds.hpp"
#include "conformance/check/expected.hpp"
#include "conformance/contract/clause_for_test.hpp"
#include "conformance/contract/judge.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

class EveryClauseOfRoundedMeans : public testing::TestWithParam<Clause> {};

INSTANTIATE_TEST_SUITE_P(Contract, EveryClauseOfRoundedMeans, testing::ValuesIn(AllClauses()),
                         [](const auto& info) { return SuiteName(info.param.id); });

/// By one of the candidates: a chain of fused products.
ReductionOrder FusedOrder(const Case& c) {
  return UniformOrder(c.experiment, CandidateFolds(ShapeOf(c)).back(), c.gradient_sync);
}

std::vector<uint32_t> BitsOf(const StepTrace& step) {
  std::vector<uint32_t> bits;
  for (const std::vector<float>& gradient : step.gradient) {
    for (const float x : gradient) bits.push_back(CanonicalBits(x));
  }
  return bits;
}

bool IsJudgedByExactMeans(const Case& c) {
  return IsExact(c.experiment) && c.fidelity != Fidelity::kBounded && c.replicas == 1;
}

TEST_P(EveryClauseOfRoundedMeans, DrawsMeansThatAreExact) {
  Capabilities can = EverythingCapable(), exact = can;
  can.reduction_orders = exact.reduction_orders = {"probed"};
  can.inexact_mean = true;
  const std::vector<int> world_sizes = {3, 4, 5};
  const CaseSpace space = SpaceFor(FindClauseCheck(GetParam().id).space(), can);
  for (const int world_size : world_sizes) {
    const CasePlace place{world_size, Precision::kFp32, {}, world_sizes};
    EXPECT_EQ(Missing(space, place, can), Missing(space, place, exact));
    if (!Missing(space, place, can).empty()) continue;
    for (const Case& c : Drawn(space, place, can, 25)) {
      EXPECT_TRUE(HasExactMean(c)) << c;
      if (!IsJudgedByExactMeans(c)) continue;
      const Expected expected = ExpectedOf(c, OrderOf(c, {})), fused = ExpectedOf(c, FusedOrder(c));
      for (size_t step = 0; step < expected.steps.size(); ++step)
        ASSERT_EQ(BitsOf(fused.steps[step]), BitsOf(expected.steps[step])) << "step " << step << " of " << c;
    }
  }
}

}  // namespace
}  // namespace zerocts
