#include "reference/optim/schedule.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
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
  EXPECT_EQ(LearningRates(LinearSchedule{.peak = 0.3f}, 3), (std::vector<float>(3, 0.3f)));
}

TEST(LinearSchedule, RoundsOnce) {
  const std::vector<float> rates = LearningRates(LinearSchedule{.peak = 0.1f, .warmup_steps = 3}, 3);
  EXPECT_EQ(rates[0], static_cast<float>(double{0.1f} / 3.0));
  EXPECT_EQ(rates[2], 0.1f);
}

TEST(LinearSchedule, RefusesAWarmupBeyondTheSteps) {
  EXPECT_THROW(LearningRates(LinearSchedule{.warmup_steps = 4}, 3), std::invalid_argument);
  EXPECT_THROW(LearningRates(LinearSchedule{.warmup_steps = -1}, 3), std::invalid_argument);
  EXPECT_EQ(LearningRates(LinearSchedule{.peak = 1.0f, .warmup_steps = 3}, 3).back(), 1.0f);
}

TEST(ConstantSchedule, StaysAfterTheWarmUp) {
  EXPECT_EQ(LearningRates(ConstantSchedule{.peak = 6.0f, .warmup_steps = 3}, 5), (std::vector<float>{2, 4, 6, 6, 6}));
}

TEST(CosineSchedule, FallsAsHalfACosine) {
  EXPECT_EQ(LearningRates(CosineSchedule{.peak = 8.0f, .warmup_steps = 2}, 8),
            (std::vector<float>{4, 8, 8, static_cast<float>(4 * (1 + std::sqrt(3.0) / 2)), 6, 4, 2,
                                static_cast<float>(4 * (1 - std::sqrt(3.0) / 2))}));
  EXPECT_EQ(LearningRates(CosineSchedule{.peak = 8.0f, .final_fraction = 0.5f}, 3), (std::vector<float>{8, 7, 5}));
  EXPECT_EQ(LearningRates(CosineSchedule{.peak = 3.0f, .warmup_steps = 2}, 2).back(), 3.0f);
}

TEST(InverseSqrtSchedule, FallsAsTheRootOfTheStep) {
  EXPECT_EQ(
      LearningRates(InverseSqrtSchedule{.peak = 6.0f}, 4),
      (std::vector<float>{6, static_cast<float>(6 * std::sqrt(0.5)), static_cast<float>(6 * std::sqrt(1.0 / 3)), 3}));
  const std::vector<float> rates = LearningRates(InverseSqrtSchedule{.peak = 6.0f, .warmup_steps = 4}, 16);
  EXPECT_EQ(rates[3], 6.0f);
  EXPECT_EQ(rates[15], 3.0f);
}

TEST(Schedules, RefuseAWarmupBeyondTheSteps) {
  EXPECT_THROW(LearningRates(ConstantSchedule{.warmup_steps = 4}, 3), std::invalid_argument);
  EXPECT_THROW(LearningRates(CosineSchedule{.warmup_steps = -1}, 3), std::invalid_argument);
  EXPECT_THROW(LearningRates(InverseSqrtSchedule{.warmup_steps = 4}, 3), std::invalid_argument);
}

/// cos(pi k / n) by MPFR, rounded to double once.
double CosineByMpfr(int64_t k, int64_t n) {
  mpfr_t angle;
  mpfr_init2(angle, 300);
  mpfr_const_pi(angle, MPFR_RNDN);
  mpfr_mul_si(angle, angle, static_cast<long>(k), MPFR_RNDN);
  mpfr_div_si(angle, angle, static_cast<long>(n), MPFR_RNDN);
  mpfr_cos(angle, angle, MPFR_RNDN);
  const double cosine = mpfr_get_d(angle, MPFR_RNDN);
  mpfr_clear(angle);
  return 2 * k == n ? 0.0 : cosine;  // 300 bits of pi leave a little there
}

// Every fraction of small tables, and 20 of each of some large ones: 62,000 values.
TEST(CosineOfPi, IsCorrectlyRounded) {
  for (int64_t n = 1; n <= 350; ++n) {
    for (int64_t k = 0; k <= n; ++k) ASSERT_EQ(CosineOfPi(k, n), CosineByMpfr(k, n)) << k << " of " << n;
  }
  for (const int64_t n : {1000, 12345, 600000, 1 << 30, 2147483647}) {
    for (int64_t i = 0; i < 20; ++i) {
      for (const int64_t k : {i, n / 2 - i, n / 2 + 1 + i, n - i, n / 4 + i, n / 20 * i}) {
        ASSERT_EQ(CosineOfPi(k, n), CosineByMpfr(k, n)) << k << " of " << n;
      }
    }
  }
}

}  // namespace
}  // namespace zerocts
