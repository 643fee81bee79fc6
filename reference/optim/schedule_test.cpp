#include "reference/optim/schedule.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

TEST(LinearSchedule, WarmsUpAndDecays) {
  const LinearSchedule schedule{.peak = 8.0f, .warmup_steps = 4, .final_fraction = 0.0f};
  EXPECT_EQ(LearningRates(schedule, 8), (std::vector<float>{2, 4, 6, 8, 8, 6, 4, 2}));
}

TEST(LinearSchedule, DecaysTowardsTheFinalFraction) {
  const LinearSchedule schedule{.peak = 8.0f, .final_fraction = 0.5f};
  EXPECT_EQ(LearningRates(schedule, 4), (std::vector<float>{8, 7, 6, 5}));
}

TEST(LinearSchedule, IsConstantByDefault) {
  EXPECT_EQ(LearningRates({.peak = 0.3f}, 3), (std::vector<float>(3, 0.3f)));
}

TEST(LinearSchedule, RoundsOnce) {
  const std::vector<float> rates = LearningRates({.peak = 0.1f, .warmup_steps = 3}, 3);
  EXPECT_EQ(rates[0], static_cast<float>(double{0.1f} / 3.0));
  EXPECT_EQ(rates[2], 0.1f);
}

TEST(LinearSchedule, RefusesAWarmupBeyondTheSteps) {
  EXPECT_THROW(LearningRates({.warmup_steps = 4}, 3), std::invalid_argument);
  EXPECT_THROW(LearningRates({.warmup_steps = -1}, 3), std::invalid_argument);
  EXPECT_EQ(LearningRates({.peak = 1.0f, .warmup_steps = 3}, 3).back(), 1.0f);
}

}  // namespace
}  // namespace zerocts
