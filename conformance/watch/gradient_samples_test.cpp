#include "conformance/watch/gradient_samples.hpp"

#include <gtest/gtest.h>

namespace zerocts::watch {
namespace {

/// A sample of three ranks and two micro-batches.
GradientSample Sample(double got, int rank = 0) {
  GradientSample sample{"w", rank, 0, got, {0, 1, 2}, {{1, 10}, {2, 20}, {3, 30.5}}};
  sample.unit_roundoff = 0x1p-24;
  sample.expected_factor = 1.0 / 3;
  sample.slack = 0x1p-22;
  return sample;
}

std::string MistakeIn(double got, int rank = 0) {
  const GradientSample sample = Sample(got, rank);
  const auto mistake = MistakeOf({&sample});
  return mistake ? mistake->text : "";
}

constexpr double kSum = 66.5;

TEST(GradientSample, IsExplainedByTheMeanAlone) {
  const GradientSample right = Sample(kSum / 3), wrong = Sample(kSum / 3 * 1.001);
  EXPECT_TRUE(Explains(right, AllTerms(right), right.expected_factor));
  EXPECT_FALSE(Explains(wrong, AllTerms(wrong), wrong.expected_factor));
}

TEST(GradientSample, MayLoseMoreNearZero) {
  GradientSample half = Sample((kSum + 0.5) * 1e-7 / 3);
  for (auto& of_rank : half.terms) {
    for (double& term : of_rank) term *= 1e-7;
  }
  EXPECT_FALSE(Explains(half, AllTerms(half), half.expected_factor));
  half.near_zero = 0x1p-25;  // fp16
  EXPECT_TRUE(Explains(half, AllTerms(half), half.expected_factor));
  half.got *= 3;
  EXPECT_FALSE(Explains(half, AllTerms(half), half.expected_factor));
}

TEST(GradientSample, TellsNothingWhereItsTermsCancel) {
  GradientSample cancels = Sample(0);
  cancels.terms = {{1e8, 1e-4}, {-1e8, 1e-4}, {0, 0}};
  EXPECT_FALSE(IsTelling(cancels));
  EXPECT_TRUE(IsTelling(Sample(0)));
}

TEST(Mistake, IsNamed) {
  EXPECT_EQ(MistakeIn(kSum), "a sum in place of a mean");
  EXPECT_EQ(MistakeIn(kSum / 9), "divided by the number of ranks twice");
  EXPECT_EQ(MistakeIn(22, 1), "each rank kept its own gradient");
  EXPECT_EQ(MistakeIn(60.5 / 3), "micro-batch 2 alone");
  EXPECT_EQ(MistakeIn(6.0 / 3), "micro-batch 1 alone");
  EXPECT_EQ(MistakeIn((kSum - 22) / 3), "without what rank 1 had");
  EXPECT_EQ(MistakeIn(kSum / 3 * 1.25), "");
}

TEST(Mistake, MustExplainEverySample) {
  const GradientSample a = Sample(kSum), b = Sample(kSum / 3);
  EXPECT_FALSE(MistakeOf({&a, &b}));
}

TEST(CommonFactor, IsTheMedian) {
  const GradientSample a = Sample(kSum), b = Sample(kSum), c = Sample(kSum / 3);
  EXPECT_DOUBLE_EQ(CommonFactor({&a, &b, &c}), 3);
}

}  // namespace
}  // namespace zerocts::watch
