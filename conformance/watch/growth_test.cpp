#include "conformance/watch/growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace zerocts::watch {
namespace {

constexpr double kMebi = 1 << 20;

/// A rank holds `mebibytes(step)` after each of its steps.
Growth MemoryOf(int steps, const std::function<double(int)>& mebibytes, int every = 1) {
  Growth growth;
  for (int step = 0; step < steps; step += every) growth.Take(step, static_cast<int64_t>(mebibytes(step) * kMebi));
  return growth;
}

TEST(Growth, IsSeenFromItsFirstStepOn) {
  const auto line = MemoryOf(100, [](int step) { return 500 + 0.5 * step; }).line();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->from, 20);
  EXPECT_NEAR(line->bytes_per_step, kMebi / 2, 1);
}

TEST(Growth, IsBytesOfAStepThatIsNotLookedAt) {
  const auto line = MemoryOf(
                        1000, [](int step) { return 500 + 0.5 * step; }, 7)
                        .line();
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->bytes_per_step, kMebi / 2, 1);
}

TEST(Growth, ThatBeginsLateIsSeen) {
  const auto line = MemoryOf(4000, [](int step) { return 500 + 0.5 * std::max(0, step - 1000); }).line();
  ASSERT_TRUE(line);
  EXPECT_GE(line->from, 1000);
  EXPECT_LE(line->from, 1300);
}

TEST(Growth, ThatIsSlowIsSeenInTime) {
  const auto slow = [](int step) { return 500 + 0.01 * step + 0.2 * (step % 3); };
  EXPECT_FALSE(MemoryOf(1000, slow).line());
  EXPECT_TRUE(MemoryOf(4000, slow).line());
}

TEST(Growth, OfAFewStepsIsNotJudged) {
  EXPECT_FALSE(MemoryOf(83, [](int step) { return 500.0 + step; }).is_judged());
  EXPECT_TRUE(MemoryOf(84, [](int step) { return 500.0 + step; }).is_judged());
}

TEST(Growth, IsNotAnAllocationOrACacheThatIsFull) {
  for (const int steps : {90, 150, 300, 1000, 5000}) {
    EXPECT_FALSE(MemoryOf(steps, [](int) { return 500; }).line()) << steps;
    EXPECT_FALSE(MemoryOf(steps, [](int step) { return step < 50 ? 100 : 900; }).line()) << steps;
    EXPECT_FALSE(MemoryOf(steps, [steps](int step) { return 500 + std::min(step, steps * 2 / 3); }).line()) << steps;
    EXPECT_FALSE(MemoryOf(steps, [](int step) { return 500 + 40 * std::log(step + 1); }).line()) << steps;
    EXPECT_FALSE(MemoryOf(steps, [](int step) { return 500 + step % 50; }).line()) << steps;
  }
}

}  // namespace
}  // namespace zerocts::watch
