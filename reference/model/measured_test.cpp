#include "reference/model/measured.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

TEST(RunningError, OfASumHoldsForTheWorstOrder) {
  std::vector<Measured> terms = {1.0};
  float sum = 1.0f;
  for (int i = 0; i < 1000; ++i) {
    terms.emplace_back(0x1p-25);
    sum += 0x1p-25f;  // lost, every time
  }
  EXPECT_EQ(sum, 1.0f);
  const Measured bound = Sum(terms);
  EXPECT_EQ(bound.value, 1.0 + 1000 * 0x1p-25);
  EXPECT_LE(bound.value - sum, bound.error);
  EXPECT_GT(8 * (bound.value - sum), bound.error);
}

TEST(RunningError, OfAFunctionIsThatOfItsLibraryAndOfItsArgument) {
  const RunningError<4> exact = Exp(RunningError<4>(1.0)), inexact = Exp(RunningError<4>(1.0, 0x1p-10));
  EXPECT_GE(exact.error, 4 * 0x1p-23 * exact.value);
  EXPECT_LE(exact.error, 5 * 0x1p-23 * exact.value);
  EXPECT_LE(Exp(Measured(1.0)).error, 2 * 0x1p-23 * exact.value);
  EXPECT_GE(inexact.error, std::exp(1.0 + 0x1p-10) - std::exp(1.0));
  EXPECT_GE(Tanh(RunningError<4>(0.1, 0x1p-10)).error, std::tanh(0.1 + 0x1p-10) - std::tanh(0.1));
  EXPECT_GE(Log(RunningError<4>(2.0, 0x1p-10)).error, std::log(2.0) - std::log(2.0 - 0x1p-10));
}

TEST(RunningError, OfProductsAndQuotientsTakesBothOperandsIn) {
  const Measured a(3.0, 0x1p-8), b(5.0, 0x1p-9);
  EXPECT_GE((a * b).error, (3.0 + 0x1p-8) * (5.0 + 0x1p-9) - 15.0);
  EXPECT_GE((a / b).error, (3.0 + 0x1p-8) / (5.0 - 0x1p-9) - 0.6);
  EXPECT_GE((a - b).error, 0x1p-8 + 0x1p-9);
  EXPECT_EQ(Either(Measured(1.0, 0.25), Measured(2.0, 0.5)).error, 1.5);
}

}  // namespace
}  // namespace zerocts
