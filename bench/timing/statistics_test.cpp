#include "bench/timing/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kSeed = 7;

TEST(Statistics, QuartilesLieBetweenNeighbours) {
  const Spread spread = SpreadOf({4, 1, 3, 2});
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.quarter, 1.75);
  EXPECT_EQ(spread.median, 2.5);
  EXPECT_EQ(spread.three_quarters, 3.25);
}

TEST(Statistics, OfOneValueAreThatValue) {
  const Spread spread = SpreadOf({7});
  EXPECT_EQ(spread.least, 7);
  EXPECT_EQ(spread.quarter, 7);
  EXPECT_EQ(spread.three_quarters, 7);
  EXPECT_EQ(MiddleHalfMean({7}), 7);
}

TEST(Statistics, OfNothingAreRefused) {
  EXPECT_THROW(SpreadOf({}), std::invalid_argument);
  EXPECT_THROW(MiddleHalfMean({}), std::invalid_argument);
  EXPECT_THROW(EstimateRatio({}, 0.95), std::invalid_argument);
}

/// The table of the sign test: 6 values are the fewest for 95 %, 8 the fewest for 99 %; of 10 the second at each end.
TEST(Statistics, AMediansIntervalIsThatOfTheSignTest) {
  EXPECT_FALSE(MedianInterval({1, 2, 3, 4, 5}, 0.95));
  EXPECT_EQ(MedianInterval({6, 1, 3, 2, 5, 4}, 0.95), (Range{1, 6}));
  EXPECT_FALSE(MedianInterval({1, 2, 3, 4, 5, 6, 7}, 0.99));
  EXPECT_EQ(MedianInterval({1, 2, 3, 4, 5, 6, 7, 8}, 0.99), (Range{1, 8}));
  EXPECT_EQ(MedianInterval({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.95), (Range{2, 9}));
}

TEST(Statistics, TheMiddleHalfKnowsNoOutliers) {
  EXPECT_EQ(MiddleHalfMean({1, 2, 3, 1e9}), 2.5);
  EXPECT_EQ(MiddleHalfMean({-1e9, 1, 2, 3, 4, 5, 6, 1e9}), 3.5);
  EXPECT_DOUBLE_EQ(MiddleHalfMean({0, 10, 20}), 10);         // 1.5 values count: a quarter of each neighbour
  EXPECT_DOUBLE_EQ(MiddleHalfMean({0, 0, 3, 0, 1e6}), 0.9);  // 2.5 values: 0.75 of the fourth in order
}

TEST(Statistics, ARatioOfEqualFactorsIsThatFactor) {
  const RatioEstimate estimate = EstimateRatio({{1, 2}, {3, 6}, {5, 10}}, 0.95);
  EXPECT_DOUBLE_EQ(estimate.ratio, 2);
  EXPECT_DOUBLE_EQ(estimate.interval.low, 2);
  EXPECT_DOUBLE_EQ(estimate.interval.high, 2);
}

TEST(Statistics, ARatioOfValuesThatAreNotAboveZeroIsRefused) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(EstimateRatio({{1, bad}}, 0.95), std::invalid_argument) << bad;
    EXPECT_THROW(EstimateRatio({{bad, 1}}, 0.95), std::invalid_argument) << bad;
  }
}

/// `count` pairs that differ by `factor`, with 5 % of noise; one in ten is disturbed on one side.
std::vector<std::pair<double, double>> NoisyPairs(uint64_t series, int count, double factor) {
  std::vector<std::pair<double, double>> pairs;
  for (int i = 0; i < count; ++i) {
    const auto draw = [&](uint64_t stream) {
      return double{RandomUniform(kSeed, 10 * series + stream, static_cast<uint64_t>(i))};
    };
    const uint64_t luck = RandomBelow(kSeed, 10 * series + 3, static_cast<uint64_t>(i), 20);
    pairs.emplace_back((luck == 0 ? 3 : 1) * (1 + 0.05 * draw(1)), (luck == 1 ? 3 : 1) * factor * (1 + 0.05 * draw(2)));
  }
  return pairs;
}

/// Deterministic: the draws are numbered.
TEST(Statistics, IntervalsHoldTheFactorAsOftenAsTheySay) {
  constexpr int kSeries = 200;
  int held = 0;
  for (int series = 0; series < kSeries; ++series) {
    const Range interval = EstimateRatio(NoisyPairs(static_cast<uint64_t>(series), 30, 1.05), 0.95, 400).interval;
    held += interval.low <= 1.05 && 1.05 <= interval.high;
  }
  EXPECT_GE(held, 0.90 * kSeries);
  EXPECT_LE(held, 0.995 * kSeries);
}

TEST(Statistics, AreTheSameEveryTime) {
  const auto pairs = NoisyPairs(1, 20, 1.1);
  const RatioEstimate one = EstimateRatio(pairs, 0.99), two = EstimateRatio(pairs, 0.99);
  EXPECT_EQ(one.ratio, two.ratio);
  EXPECT_EQ(one.interval, two.interval);
  const Range surer = EstimateRatio(pairs, 0.999).interval;
  EXPECT_LT(surer.low, one.interval.low);
  EXPECT_GT(surer.high, one.interval.high);
}

TEST(Statistics, SeveralIntervalsShareWhatMayFail) {
  EXPECT_DOUBLE_EQ(ConfidenceOfEach(0.95, 1), 0.95);
  EXPECT_DOUBLE_EQ(ConfidenceOfEach(0.95, 5), 0.99);
}

}  // namespace
}  // namespace zerocts
