#include "conformance/check/cause/hints.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "conformance/cases/case/without_numbers.hpp"

namespace zerocts {
namespace {

const std::vector<float> kExpected = {1, -2, 3.5f, 7, 11, -13, 17.25f, 19};
const std::vector<float> kBefore = {2, -3, 4.5f, 8, 12, -14, 18.25f, 21};

/// Piece [2, 7) of 3 ranks with 4 micro-batches.
template <typename Wrong>
std::string HintWhere(Wrong wrong) {
  std::vector<float> got(kExpected.begin() + 2, kExpected.begin() + 7);
  for (size_t i = 0; i < got.size(); ++i) got[i] = wrong(i + 2);
  return HintFor({kExpected, kBefore, 2, got, 3, 4}).text;
}

bool StartsWith(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

TEST(Hints, NamesFactors) {
  const auto times = [](float factor) { return HintWhere([=](size_t e) { return factor * kExpected[e]; }); };
  EXPECT_EQ(times(12), "wrong by W * K: a sum instead of the mean?");
  EXPECT_EQ(times(3), "wrong by W: not divided by the number of ranks, or counted by each?");
  EXPECT_EQ(times(4), "wrong by K: not divided by the number of micro-batches?");
  EXPECT_TRUE(StartsWith(times(1.0f / 3), "wrong by 1 / W: "));
  EXPECT_TRUE(StartsWith(times(0.25f), "wrong by 1 / K: "));
  EXPECT_EQ(times(2), "wrong by 2: counted twice?");
  EXPECT_EQ(times(0.5f), "wrong by 1 / 2: half of it is missing?");
  EXPECT_EQ(times(-1), "wrong by -1: the sign is turned?");
  EXPECT_TRUE(StartsWith(FactorHint(2.0f, 2.0f * std::sqrt(3.0f), 3, 4).text, "wrong by sqrt(W)"));
  EXPECT_EQ(FactorHint(2.0f, 2.1f, 3, 4).text, "");
}

TEST(Hints, SayWhereOnlyTheSignOfZeroDiffers) {
  const std::vector<float> expected = {1, -0.0f, 2}, before = {0, 0, 0}, got = {1, 0, 2};
  EXPECT_EQ(HintFor({expected, before, 0, got, 3, 4}).text, "only the sign of 0 differs");
}

TEST(Hints, NamesFactorsOfTheStep) {
  const auto moved = [](float factor) {
    return HintWhere([=](size_t e) { return kBefore[e] + factor * (kExpected[e] - kBefore[e]); });
  };
  EXPECT_EQ(moved(4), "the step is wrong by K: not divided by the number of micro-batches?");
  EXPECT_EQ(moved(3), "the step is wrong by W: not divided by the number of ranks, or counted by each?");
  EXPECT_EQ(moved(2.5f), "");
  const std::vector<float> got = {9, 9};
  EXPECT_EQ(HintFor({kExpected, {}, 2, got, 3, 4}).text, "") << "there was no step";
}

TEST(Hints, NameTheLossWhereNothingElseExplainsTheGradientOfAQuadraticOne) {
  const std::vector<float> got = {4, 6.5f}, twice = {7, 14};
  EXPECT_EQ(HintFor({kExpected, kBefore, 2, got, 3, 4, 1, false}).text, "");
  EXPECT_TRUE(StartsWith(HintFor({kExpected, kBefore, 2, got, 3, 4, 1, true}).text, "the loss is quadratic"));
  EXPECT_TRUE(StartsWith(HintFor({kExpected, kBefore, 2, twice, 3, 4, 1, true}).text, "wrong by 2: "));
}

TEST(Hints, NameAllFactorsThatAreTheSameNumberHere) {
  const Hint hint = FactorHint(2, 6, 1, 3);
  EXPECT_EQ(hint.text,
            "wrong by W * K: a sum instead of the mean, or as well K: not divided by the number of micro-batches?");
  EXPECT_EQ(hint.factors, (std::vector<std::string>{"W * K: a sum instead of the mean",
                                                    "K: not divided by the number of micro-batches"}));
  EXPECT_EQ(FactorHint(2, 6, 5, 3).text, "wrong by K: not divided by the number of micro-batches?");
  EXPECT_EQ(FactorHint(2, 6, 15, 7, 5).text, "wrong by S: not divided by the ranks of a sharding group?");
  EXPECT_EQ(FactorHint(2, 10, 15, 7, 5).text, "wrong by R: not divided by the number of replicas?");
}

TEST(Hints, NameTheRanksOfAnExpert) {
  const std::vector<float> got = {10.5f, 21};
  WrongPiece piece{kExpected, {}, 2, got, 6, 5};
  EXPECT_EQ(HintFor(piece).text, "");
  piece.experts = 3;
  EXPECT_EQ(HintFor(piece).text, "wrong by E: divided by the micro-batches of the expert's own ranks?");
}

TEST(Hints, HaveAKindWithoutTheNumbersOfTheCase) {
  const auto shifted = [](size_t by) { return HintWhere([=](size_t e) { return kExpected[e - by]; }); };
  EXPECT_EQ(WithoutNumbers(shifted(1)), WithoutNumbers(shifted(2)));
  EXPECT_NE(WithoutNumbers(shifted(1)), WithoutNumbers(FactorHint(2, 6, 5, 3).text));
  EXPECT_EQ(WithoutNumbers(""), "");
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

TEST(Hints, NamesRounding) {
  const auto a_little_more = [](size_t e) { return std::nextafter(kExpected[e], 1e9f); };
  EXPECT_TRUE(StartsWith(HintWhere(a_little_more), "at most 4 units in the last place: another formula"));
  const auto next_bf16 = [](size_t e) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(kExpected[e]) + 0x10000u);
  };
  EXPECT_TRUE(StartsWith(HintWhere(next_bf16), "at most 4 units in the last place"));
  EXPECT_EQ(HintWhere([](size_t e) { return e == 3 ? kExpected[e] + 0.3f : std::nextafter(kExpected[e], 1e9f); }), "");
}

TEST(Hints, ExplainsOnlyWhatExplainsEveryDifference) {
  EXPECT_EQ(HintWhere([](size_t e) { return e == 3 ? 2 * kExpected[e] : kExpected[e] + 0.1f; }), "");
  EXPECT_TRUE(StartsWith(HintWhere([](size_t e) { return e == 3 ? 2 * kExpected[e] : kExpected[e]; }), "wrong by 2: "));
}

}  // namespace
}  // namespace zerocts
