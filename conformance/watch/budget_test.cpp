#include "conformance/watch/budget.hpp"

#include <gtest/gtest.h>

namespace zerocts::watch {
namespace {

/// A step of 100 ms of a rank, of which the witness took `spent`.
StepRecord Step(int64_t step, int rank, double spent) {
  StepRecord record;
  record.from = {rank, 2};
  record.at = {0, step};
  record.spent = spent;
  record.total = 0.1 + spent;
  return record;
}

TEST(Budget, ChangesOnceAllRanksCostTooMuchForAWhile) {
  Budget budget;
  for (int64_t step = 0; step < 6; ++step) {
    EXPECT_FALSE(budget.Take(Step(step, 0, 0.001)));
    EXPECT_FALSE(budget.Take(Step(step, 1, 0.02)));
  }
  EXPECT_FALSE(budget.Take(Step(6, 0, 0.001)));
  const auto change = budget.Take(Step(6, 1, 0.02));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->every, 5);  // 20 % in place of 4 %
  EXPECT_EQ(change->from, 26);
}

TEST(Budget, IsNotMovedByOneStep) {
  Budget budget;
  for (int64_t step = 2; step < 40; ++step) {
    for (const int rank : {0, 1}) EXPECT_FALSE(budget.Take(Step(step, rank, step % 5 == 0 ? 0.5 : 0.004))) << step;
  }
}

TEST(Budget, WaitsUntilTheChangeIsMade) {
  Budget budget;
  int changes = 0;
  for (int64_t step = 0; step < 27; ++step) {
    for (const int rank : {0, 1}) changes += budget.Take(Step(step, rank, 0.02)).has_value();
  }
  EXPECT_EQ(changes, 1);
}

}  // namespace
}  // namespace zerocts::watch
