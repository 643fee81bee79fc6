#include "conformance/watch/additions.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace zerocts::watch {
namespace {

std::optional<std::string> WrongReduction(double got, const std::vector<double>& terms, const std::string& dtype,
                                          const std::string& reduce = "") {
  std::vector<Element> elements;
  for (const double term : terms) elements.push_back({.bits = static_cast<uint64_t>(term), .value = term});
  return WrongReduction(Element{.bits = static_cast<uint64_t>(got), .value = got}, elements, dtype, reduce);
}

const std::vector<double> kThree = {0.1f, 1e8f, -1e8f};

float InOrder(float a, float b, float c) { return (a + b) + c; }

TEST(Reduction, IsASumInAnyOrder) {
  EXPECT_FALSE(WrongReduction(InOrder(0.1f, 1e8f, -1e8f), kThree, "float32"));
  EXPECT_FALSE(WrongReduction(InOrder(1e8f, -1e8f, 0.1f), kThree, "float32"));
  EXPECT_NE(InOrder(0.1f, 1e8f, -1e8f), InOrder(1e8f, -1e8f, 0.1f));
}

TEST(Reduction, IsAMeanMinimumOrMaximum) {
  EXPECT_FALSE(WrongReduction(0.1f / 3.0f, kThree, "float32"));
  EXPECT_FALSE(WrongReduction(1e8f, kThree, "float32"));
  EXPECT_FALSE(WrongReduction(-1e8f, kThree, "float32"));
}

TEST(Reduction, IsNothingBesideThese) {
  const float sum = 1.0f + 2.0f + 4.5f;
  EXPECT_FALSE(WrongReduction(sum, {1, 2, 4.5}, "float32"));
  EXPECT_TRUE(WrongReduction(std::nextafter(sum, 9.0f), {1, 2, 4.5}, "float32"));
  EXPECT_TRUE(WrongReduction(5.5, {1, 2, 4.5}, "float32"));  // without the second
  EXPECT_TRUE(WrongReduction(3, {1, 2, 4.5}, "float32"));    // without the last
}

TEST(Reduction, RoundsEachAdditionToItsDtype) {
  EXPECT_FALSE(WrongReduction(256, {256, 1, 0}, "bfloat16"));  // 257 lies half way, and goes to even
  EXPECT_TRUE(WrongReduction(257, {256, 1, 0}, "bfloat16"));
  EXPECT_FALSE(WrongReduction(257, {256, 1, 0}, "float32"));
}

TEST(Reduction, OfManyTermsLiesWithinTheBound) {
  std::vector<double> terms;
  float sum = 0;
  for (int i = 1; i <= 64; ++i) {
    terms.push_back(1.0f / static_cast<float>(i));
    sum += 1.0f / static_cast<float>(i);
  }
  EXPECT_FALSE(WrongReduction(sum, terms, "float32"));
  EXPECT_FALSE(WrongReduction(sum / 64, terms, "float32"));
  EXPECT_TRUE(WrongReduction(sum - 1.0 / 64, terms, "float32"));
}

TEST(Reduction, OfManyTermsMayLoseAllNearZero) {
  const std::vector<double> smallest(64, 0x1p-24);  // of fp16
  EXPECT_FALSE(WrongReduction(0, smallest, "float16", "avg"));
  EXPECT_TRUE(WrongReduction(0x1p-22, smallest, "float16", "avg"));
}

TEST(Reduction, IsTheOneThatWasAskedFor) {
  EXPECT_FALSE(WrongReduction(7.5, {1, 2, 4.5}, "float32", "sum"));
  EXPECT_TRUE(WrongReduction(2.5, {1, 2, 4.5}, "float32", "sum"));
  EXPECT_FALSE(WrongReduction(2.5, {1, 2, 4.5}, "float32", "avg"));
  EXPECT_TRUE(WrongReduction(4.5, {1, 2, 4.5}, "float32", "avg"));
  EXPECT_TRUE(WrongReduction(4.5, {1, 2, 4.5}, "float32", "min"));
  EXPECT_FALSE(WrongReduction(9, {1, 2, 4.5}, "float32", "product"));
  EXPECT_FALSE(WrongReduction(99, {1, 2, 4.5}, "float32", "other"));
}

TEST(Reduction, OfManyTermsMayBeAProduct) {
  EXPECT_FALSE(WrongReduction(128, {2, 2, 2, 2, 2, 2, 2}, "float32", "product"));
  EXPECT_FALSE(WrongReduction(128, {2, 2, 2, 2, 2, 2, 2}, "float32"));
  EXPECT_TRUE(WrongReduction(127, {2, 2, 2, 2, 2, 2, 2}, "float32", "product"));
}

TEST(Reduction, OfIntegersMayJoinTheirBits) {
  EXPECT_FALSE(WrongReduction(2, {6, 3, 10}, "int64"));
  EXPECT_FALSE(WrongReduction(15, {6, 3, 10}, "int64", "bor"));
  EXPECT_TRUE(WrongReduction(2, {6, 3, 10}, "int64", "bor"));
  EXPECT_TRUE(WrongReduction(2, {6, 3, 10}, "float32"));
}

TEST(Reduction, OfIntegersThatWrapAroundIsNotJudged) {
  EXPECT_FALSE(WrongReduction(-56, {100, 100}, "int8", "sum"));
  EXPECT_FALSE(WrongReduction(16, {100, 100}, "int8", "product"));
  EXPECT_FALSE(WrongReduction(5, {std::ldexp(1, 60), 1}, "int64", "sum"));
}

TEST(Reduction, OfWhatIsNotFiniteIsNotJudged) { EXPECT_FALSE(WrongReduction(1, {INFINITY, 2, 3}, "float32")); }

TEST(ExactSum, KeepsWhatCancels) { EXPECT_EQ(ExactSum({1e16, 1, -1e16}), 1); }

}  // namespace
}  // namespace zerocts::watch
