#include "conformance/cli/values.hpp"

#include <gtest/gtest.h>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

TEST(Values, WordsBetweenCommasAndBlanks) {
  EXPECT_EQ(Words("a, b,,c  d"), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_TRUE(Words("").empty());
  EXPECT_TRUE(Words(" , ").empty());
  EXPECT_EQ(Words(std::vector<std::string>{"a,b", "c"}), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Values, NumberListIsStrict) {
  EXPECT_EQ(NumberList("--ranks", "3,1,3", 1, 8), (std::vector<int>{1, 3}));
  EXPECT_EQ(NumberList("--ranks", "2-4,8", 1, 8), (std::vector<int>{2, 3, 4, 8}));
  for (const char* bad : {"", ",", "0", "-1", "x", "2x", "1.5", "9", "1,,x", "99999999999999999999", "+2", "2-", "-2-4",
                          "4-2", "0-3", "2-9", "2-3-4"}) {
    EXPECT_THROW(NumberList("--ranks", bad, 1, 8), UsageError) << bad;
  }
}

TEST(Values, WholeNumberHasTheWholeRange) {
  EXPECT_EQ(WholeNumber("--seed", "18446744073709551615", 0, UINT64_MAX), UINT64_MAX);
  for (const char* bad : {"", "-1", "18446744073709551616", "1e3", " 1", "0x10"}) {
    EXPECT_THROW(WholeNumber("--seed", bad, 0, UINT64_MAX), UsageError) << bad;
    EXPECT_THROW(SeedFrom("--seed", bad), UsageError) << bad;
  }
  EXPECT_THROW(WholeNumber("--cases", "0", 1, 10), UsageError);
}

TEST(Values, Durations) {
  EXPECT_EQ(Duration("--time-budget", "90"), std::chrono::seconds(90));
  EXPECT_EQ(Duration("--time-budget", "90s"), std::chrono::seconds(90));
  EXPECT_EQ(Duration("--time-budget", "10m"), std::chrono::seconds(600));
  EXPECT_EQ(Duration("--time-budget", "2h"), std::chrono::seconds(7200));
  EXPECT_EQ(DurationWithUnit("--time-budget", "90s"), std::chrono::seconds(90));
  EXPECT_THROW(DurationWithUnit("--time-budget", "90"), UsageError) << "of which unit?";
  for (const char* bad : {"", "m", "0", "0m", "-5s", "1.5m", "10d", "ten"}) {
    EXPECT_THROW(Duration("--time-budget", bad), UsageError) << bad;
  }
}

TEST(Values, KeyAndValue) {
  EXPECT_EQ(KeyAndValue("--option", "path=a=b"), (std::pair<std::string, std::string>("path", "a=b")));
  EXPECT_EQ(KeyAndValue("--option", "key="), (std::pair<std::string, std::string>("key", "")));
  EXPECT_THROW(KeyAndValue("--option", "key"), UsageError);
  EXPECT_THROW(KeyAndValue("--option", "=value"), UsageError);
}

TEST(Values, SentencesNameOptionExpectedAndGot) {
  try {
    NumberList("--ranks", "2,zero", 1, 8);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--ranks: expected whole numbers from 1 to 8, such as 1,2; got 'zero'");
  }
}

}  // namespace
}  // namespace zerocts
