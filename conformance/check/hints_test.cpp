#include "conformance/check/hints.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace zerocts {
namespace {

const std::vector<float> kExpected = {1, -2, 3.5f, 7, 11, -13, 17.25f, 19};
const std::vector<float> kBefore = {2, -3, 4.5f, 8, 12, -14, 18.25f, 21};

/// Piece [2, 7) of 3 ranks with 4 micro-batches.
template <typename Wrong>
std::string HintWhere(Wrong wrong) {
  std::vector<float> got(kExpected.begin() + 2, kExpected.begin() + 7);
  for (size_t i = 0; i < got.size(); ++i) got[i] = wrong(i + 2);
  return HintFor({kExpected, kBefore, 2, got, 3, 4});
}

bool StartsWith(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

TEST(Hints, NamesFactors) {
  const auto times = [](float factor) { return HintWhere([=](size_t e) { return factor * kExpected[e]; }); };
  EXPECT_TRUE(StartsWith(times(12), "12 x expected (W * K)"));
  EXPECT_TRUE(StartsWith(times(3), "3 x expected (W)"));
  EXPECT_TRUE(StartsWith(times(4), "4 x expected (K)"));
  EXPECT_TRUE(StartsWith(times(1.0f / 3), "1/3 of expected (W)"));
  EXPECT_TRUE(StartsWith(times(0.25f), "1/4 of expected (K)"));
  EXPECT_TRUE(StartsWith(times(2), "2 x expected"));
  EXPECT_TRUE(StartsWith(times(0.5f), "half of expected"));
  EXPECT_TRUE(StartsWith(times(-1), "the negative"));
  EXPECT_TRUE(StartsWith(FactorHint(2.0f, 2.0f * std::sqrt(3.0f), 3, 4), "sqrt(3) x expected"));
  EXPECT_EQ(FactorHint(2.0f, 2.1f, 3, 4), "");
}

TEST(Hints, NameTheLossWhereNothingElseExplainsTheGradientOfAQuadraticOne) {
  const std::vector<float> got = {4, 6.5f}, twice = {7, 14};
  EXPECT_EQ(HintFor({kExpected, kBefore, 2, got, 3, 4, 1, false}), "");
  EXPECT_TRUE(StartsWith(HintFor({kExpected, kBefore, 2, got, 3, 4, 1, true}), "the loss is quadratic"));
  EXPECT_TRUE(StartsWith(HintFor({kExpected, kBefore, 2, twice, 3, 4, 1, true}), "2 x expected"));
}

TEST(Hints, NameAllFactorsThatAreTheSameNumberHere) {
  EXPECT_EQ(
      FactorHint(2, 6, 1, 3),
      "3 x expected (W * K): a sum in place of a mean?, or as well 3 x expected (K): not divided by the number of "
      "micro-batches?");
  EXPECT_EQ(FactorHint(2, 6, 5, 3), "3 x expected (K): not divided by the number of micro-batches?");
  EXPECT_EQ(FactorHint(2, 6, 15, 7, 5), "3 x expected (S): not divided by the ranks of a sharding group?");
  EXPECT_EQ(FactorHint(2, 10, 15, 7, 5), "5 x expected (R): not divided by the number of replicas?");
}

TEST(Hints, HaveAKindWithoutTheNumbersOfTheCase) {
  EXPECT_EQ(KindOfHint(FactorHint(2, 6, 5, 3)), KindOfHint(FactorHint(2, 24, 5, 12)));
  EXPECT_NE(KindOfHint(FactorHint(2, 6, 5, 3)), KindOfHint(FactorHint(2, 6, 1, 3)));
  EXPECT_EQ(KindOfHint(""), "");
}

TEST(Hints, NamesStaleNanAndZero) {
  EXPECT_TRUE(StartsWith(HintWhere([](size_t e) { return kBefore[e]; }), "the values before the step"));
  EXPECT_TRUE(StartsWith(HintWhere([](size_t) { return std::nanf(""); }), "NaN"));
  EXPECT_TRUE(StartsWith(HintWhere([](size_t) { return 0.0f; }), "0: never filled"));
}

TEST(Hints, NamesShifts) {
  EXPECT_EQ(HintWhere([](size_t e) { return kExpected[e + 1]; }), "expected of element 3: shifted by -1?");
  EXPECT_EQ(HintWhere([](size_t e) { return kExpected[e - 2]; }), "expected of element 0: shifted by 2?");
  EXPECT_EQ(HintWhere([](size_t e) { return e == 2   ? kExpected[7]
                                            : e == 4 ? 100.0f
                                                     : kExpected[e]; }),
            "expected of element 7");
}

TEST(Hints, ExplainsOnlyWhatExplainsEveryDifference) {
  EXPECT_EQ(HintWhere([](size_t e) { return e == 3 ? 2 * kExpected[e] : kExpected[e] + 0.1f; }), "");
  EXPECT_TRUE(StartsWith(HintWhere([](size_t e) { return e == 3 ? 2 * kExpected[e] : kExpected[e]; }), "2 x expected"));
}

}  // namespace
}  // namespace zerocts
