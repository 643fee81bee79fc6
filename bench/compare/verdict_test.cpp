#include "bench/compare/verdict.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

using V = ComparisonVerdict;

TEST(ComparisonVerdict, NeedsBothAnEffectThatCountsAndAnIntervalThatLeavesOutOne) {
  const double least = 0.03;
  EXPECT_EQ(VerdictOf({1.05, {1.04, 1.06}}, least), V::kRegression);
  EXPECT_EQ(VerdictOf({1.03, {1.001, 1.059}}, least), V::kRegression);
  EXPECT_EQ(VerdictOf({1.02, {1.01, 1.03}}, least), V::kSame);      // sure, and too small to count
  EXPECT_EQ(VerdictOf({1.05, {0.99, 1.11}}, least), V::kTooNoisy);  // large, and not sure
  EXPECT_EQ(VerdictOf({1.00, {0.96, 1.04}}, least), V::kTooNoisy);
  EXPECT_EQ(VerdictOf({1.00, {0.98, 1.02}}, least), V::kSame);
  EXPECT_EQ(VerdictOf({0.90, {0.89, 0.91}}, least), V::kFaster);
  EXPECT_EQ(VerdictOf({1.50, {1.20, 1.90}}, least), V::kRegression);  // wide, and sure
}

TEST(ComparisonVerdict, AsksForPairsUntilTheIntervalIsNarrow) {
  EXPECT_TRUE(IsDecided({1.03, {1.016, 1.045}}, 0.03));
  EXPECT_FALSE(IsDecided({1.03, {1.01, 1.05}}, 0.03));
}

TEST(ComparisonVerdict, AsksForNoMorePairsOnceNothingIsSlower) {
  EXPECT_TRUE(IsDecided({1, {0.975, 1.025}}, 0.03));
  EXPECT_FALSE(IsDecided({1, {0.975, 1.031}}, 0.03));
  EXPECT_FALSE(IsDecided({0.98, {0.95, 1.025}}, 0.03)) << "an interval so wide is too noisy";
  EXPECT_EQ(VerdictOf({1, {0.975, 1.025}}, 0.03), V::kSame);
}

TEST(ComparisonVerdict, EndsWithTheWorst) {
  EXPECT_EQ(ExitCodeOf({V::kSame, V::kFaster}), 0);
  EXPECT_EQ(ExitCodeOf({V::kSame, V::kTooNoisy}), 6);
  EXPECT_EQ(ExitCodeOf({V::kTooNoisy, V::kRegression}), 1);
  EXPECT_EQ(ExitCodeOf({V::kDifferent, V::kTooNoisy}), 1);
  EXPECT_EQ(ExitCodeOf({V::kNotPaired, V::kNew, V::kSame}), 0);
  EXPECT_EQ(ExitCodeOf({V::kNotPaired, V::kNew}), 6) << "nothing was judged";
  EXPECT_EQ(ExitCodeOf({}), 6);
}

}  // namespace
}  // namespace zerocts
