#include "bench/compare/comparison_table.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

const std::vector<ComparisonRow> kRows = {
    {"step", "s", 0.1, 0.11, {1.1, {1.09, 1.12}}, 20, ComparisonVerdict::kRegression},
    {"sent", "byte", 100, 100, {}, 0, ComparisonVerdict::kSame},
    {"calls", "1", 3, 4, {}, 0, ComparisonVerdict::kDifferent},
    {"held", "byte", 5, {}, {}, 0, ComparisonVerdict::kDifferent},
    {"peak", "byte", {}, 6, {}, 0, ComparisonVerdict::kNew}};

TEST(ComparisonTable, ShowsTimesDifferencesAndHowManyCountsAreEqual) {
  const std::string text = TextOf(kRows, {"native", "other", "paired"});
  EXPECT_NE(text.find("+10.00 %"), std::string::npos) << text;
  EXPECT_NE(text.find("+9.00 % .. +12.00 %"), std::string::npos);
  EXPECT_NE(text.find("REGRESSION"), std::string::npos);
  EXPECT_NE(text.find("DIFFERENT"), std::string::npos);
  EXPECT_NE(text.find("1 figures of bytes and counts are equal"), std::string::npos);
  EXPECT_EQ(text.find("sent"), std::string::npos);
}

TEST(ComparisonTable, IsMarkdownToo) {
  const std::string text = MarkdownOf(kRows, {"native", "other", "paired"});
  EXPECT_NE(text.find("| step | 100.0000 ms | 110.0000 ms | +10.00 % | +9.00 % .. +12.00 % | 20 | **REGRESSION** |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| calls | 3 1 | 4 1 |"), std::string::npos);
  EXPECT_NE(text.find("| held | 5 byte | none |  |  | 0 | **DIFFERENT** |"), std::string::npos) << text;
  EXPECT_NE(text.find("| peak | none | 6 byte |  |  | 0 | new |"), std::string::npos) << text;
}

}  // namespace
}  // namespace zerocts
