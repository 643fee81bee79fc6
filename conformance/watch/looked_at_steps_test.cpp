#include "conformance/watch/looked_at_steps.hpp"

#include <gtest/gtest.h>

namespace zerocts::watch {
namespace {

template <typename Kind>
Kind OfRank(int rank) {
  Kind record;
  record.from = {.rank = rank, .world = 3};
  return record;
}

StepRecord OfOptimizer(int64_t optimizer) {
  auto step = OfRank<StepRecord>(0);
  step.at.optimizer = optimizer;
  return step;
}

TEST(LookedAtSteps, EndWithWhatTheNextForwardReads) {
  LookedAtSteps steps;
  for (int64_t step = 0; step < 3; ++step) {
    for (const int rank : {0, 1}) {
      EXPECT_EQ(steps.Of(OfRank<GradientsRecord>(rank)), step);
      EXPECT_EQ(steps.Of(OfRank<StepRecord>(rank)), step);
      EXPECT_EQ(steps.Of(OfRank<CollectiveRecord>(rank)), step);
      EXPECT_EQ(steps.Of(OfRank<ReadRecord>(rank)), step);
    }
  }
}

TEST(LookedAtSteps, EndWithAnOptimizersNextWhereNothingIsRead) {
  LookedAtSteps steps;
  EXPECT_EQ(steps.Of(OfOptimizer(0)), 0);
  EXPECT_EQ(steps.Of(OfOptimizer(1)), 0);
  EXPECT_EQ(steps.Of(OfOptimizer(1)), 1);
  EXPECT_EQ(steps.Of(OfOptimizer(0)), 1);
  EXPECT_EQ(steps.Of(OfOptimizer(0)), 2);
}

TEST(LookedAtSteps, AreNoneOfWhatIsOfTheRun) {
  LookedAtSteps steps;
  EXPECT_FALSE(steps.Of(OfRank<StartRecord>(0)));
  EXPECT_FALSE(steps.Of(OfRank<ParameterRecord>(0)));
  EXPECT_FALSE(steps.Of(OfRank<OptimizerRecord>(0)));
  EXPECT_FALSE(steps.Of(OfRank<OffRecord>(0)));
  EXPECT_FALSE(steps.Of(OfRank<EndRecord>(0)));
}

}  // namespace
}  // namespace zerocts::watch
