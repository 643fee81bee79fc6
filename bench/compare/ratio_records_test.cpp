#include "bench/compare/ratio_records.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

TEST(RatioRecords, AreOfTimesAlone) {
  const ComparisonRow time{.name = "step/stage=1",
                           .unit = "s",
                           .first = 2,
                           .second = 3,
                           .cost = {1.5, {1.4, 1.6}},
                           .pairs = 2,
                           .ratios = {1.45, 1.55}};
  const ComparisonRow count{.name = "bytes", .unit = "byte", .first = 7, .second = 7};
  const auto records = RatioRecords({time, count}, "old", "new", 0.99);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].name, "ratio/step/stage=1/than=old");
  EXPECT_EQ(records[0].subject, "new");
  EXPECT_EQ(records[0].value, 1.5);
  EXPECT_EQ(records[0].samples, (std::vector<double>{1.45, 1.55}));
  EXPECT_EQ(records[0].interval->low, 1.4);
  EXPECT_EQ(records[0].interval->confidence, 0.99);
  EXPECT_NO_THROW(LineOf(records[0]));
}

}  // namespace
}  // namespace zerocts
