#include "reference/numerics/arithmetic_canary.hpp"

#include <gtest/gtest.h>

#include <cfenv>

namespace zerocts {
namespace {

TEST(ArithmeticCanary, IsSilentOnIeeeArithmetic) {
  const ArithmeticReport report = CheckArithmetic();
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(Describe(report), "");
}

TEST(ArithmeticCanary, SeesAnotherRoundingDirection) {
  for (const int direction : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(direction), 0);
    const ArithmeticReport report = CheckArithmetic();
    std::fesetround(FE_TONEAREST);
    EXPECT_FALSE(report.rounds_to_nearest) << direction;
    EXPECT_FALSE(report.ok());
  }
  EXPECT_TRUE(CheckArithmetic().ok());
}

TEST(ArithmeticCanary, NamesEveryProblem) {
  EXPECT_NE(Describe({.contracts = true}).find("-ffp-contract=off"), std::string::npos);
  EXPECT_NE(Describe({.flushes_to_zero = true}).find("-ffast-math"), std::string::npos);
  EXPECT_NE(Describe({.rounds_to_nearest = false}).find("nearest"), std::string::npos);
  EXPECT_NE(Describe({.fma_is_fused = false}).find("fma"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
