#include "bench/statistics.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

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
}

TEST(Statistics, OfNothingAreRefused) { EXPECT_THROW(SpreadOf({}), std::invalid_argument); }

}  // namespace
}  // namespace zerocts
