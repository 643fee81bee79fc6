// Layers against written-out loops and against derivatives in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/numerics/lane_tree.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

double GeluInDouble(double x) {
  return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x)));
}

TEST(Gelu, IsCloseToItsFormulaInDouble) {
  constexpr int64_t kNumel = 2001;
  std::vector<float> x(kNumel), y(kNumel), tanh(kNumel);
  for (int64_t i = 0; i < kNumel; ++i) x[i] = 0.01f * static_cast<float>(i - 1000);
  HostOps().Gelu(y.data(), tanh.data(), x.data(), kNumel);
  for (int64_t i = 0; i < kNumel; ++i)
    ASSERT_NEAR(y[i], GeluInDouble(x[i]), 2e-7 * std::max(1.0, std::abs(double{x[i]}))) << x[i];
}

TEST(Gelu, GradientIsTheFiniteDifference) {
  constexpr int64_t kNumel = 2001;
  constexpr double kStep = 1e-5;
  std::vector<float> x(kNumel), gradient(kNumel), y(kNumel), tanh(kNumel);
  const std::vector<float> upstream = OrdinaryFloats(kNumel, 1);
  for (int64_t i = 0; i < kNumel; ++i) x[i] = 0.01f * static_cast<float>(i - 1000);
  HostOps().Gelu(y.data(), tanh.data(), x.data(), kNumel);
  HostOps().GeluGradient(gradient.data(), x.data(), tanh.data(), upstream.data(), kNumel);
  for (int64_t i = 0; i < kNumel; ++i) {
    const double slope = (GeluInDouble(x[i] + kStep) - GeluInDouble(x[i] - kStep)) / (2 * kStep);
    ASSERT_NEAR(gradient[i], upstream[i] * slope, 2e-6) << x[i];
  }
}

/// The mean loss of a batch in double.
double MeanCrossEntropy(const std::vector<double>& logits, const std::vector<int32_t>& targets, int64_t B, int64_t V) {
  double loss = 0.0;
  for (int64_t b = 0; b < B; ++b) {
    const double* row = logits.data() + b * V;
    const double largest = *std::max_element(row, row + V);
    double sum = 0.0;
    for (int64_t v = 0; v < V; ++v) sum += std::exp(row[v] - largest);
    loss += largest + std::log(sum) - row[targets[b]];
  }
  return loss / static_cast<double>(B);
}

TEST(SoftmaxCrossEntropy, LossAndGradientAgreeWithDouble) {
  constexpr int64_t B = 5, V = 131;
  constexpr double kStep = 1e-5;
  std::vector<float> logits = OrdinaryFloats(B * V, 1), upstream(B * V), loss(B);
  for (float& x : logits) x *= 10.0f;
  const std::vector<int32_t> targets = {0, 130, 7, 64, 64};
  HostOps().SoftmaxCrossEntropy(loss.data(), upstream.data(), logits.data(), targets.data(), B, V);

  std::vector<double> wide(logits.begin(), logits.end());
  double mean = 0.0;
  for (const float x : loss) mean += x / B;
  EXPECT_NEAR(mean, MeanCrossEntropy(wide, targets, B, V), 1e-5);
  for (int64_t i = 0; i < B * V; ++i) {
    const double x = wide[i];
    wide[i] = x + kStep;
    const double above = MeanCrossEntropy(wide, targets, B, V);
    wide[i] = x - kStep;
    const double below = MeanCrossEntropy(wide, targets, B, V);
    wide[i] = x;
    ASSERT_NEAR(upstream[i], (above - below) / (2 * kStep), 1e-6) << i;
  }
}

TEST(SoftmaxCrossEntropy, LargeLogitsDoNotOverflow) {
  const std::vector<float> logits = {1e30f, -1e30f, 0.0f};
  const int32_t target = 1;
  float loss = 0.0f, upstream[3];
  HostOps().SoftmaxCrossEntropy(&loss, upstream, logits.data(), &target, 1, 3);
  EXPECT_EQ(loss, 2e30f);
  EXPECT_EQ(upstream[0], 1.0f);
  EXPECT_EQ(upstream[1], -1.0f);
  EXPECT_EQ(upstream[2], 0.0f);
}

TEST(SoftmaxCrossEntropy, UpstreamMayBeTheLogits) {
  constexpr int64_t B = 3, V = 50;
  const std::vector<float> logits = OrdinaryFloats(B * V, 1);
  const std::vector<int32_t> targets = {0, 49, 20};
  std::vector<float> in_place = logits, separate(B * V), loss(B), loss_in_place(B);
  HostOps().SoftmaxCrossEntropy(loss.data(), separate.data(), logits.data(), targets.data(), B, V);
  HostOps().SoftmaxCrossEntropy(loss_in_place.data(), in_place.data(), in_place.data(), targets.data(), B, V);
  EXPECT_EQ(CanonicalBitsOf(in_place), CanonicalBitsOf(separate));
  EXPECT_EQ(CanonicalBitsOf(loss_in_place), CanonicalBitsOf(loss));
}

TEST(Bias, IsAddedToEachRowAndItsGradientIsALaneTree) {
  for (const int64_t B : {1, 7, 64, 1500}) {
    constexpr int64_t C = 19;
    const std::vector<float> in = OrdinaryFloats(B * C, 1), bias = OrdinaryFloats(C, 2);
    std::vector<float> out = in, gradient(C);
    HostOps().AddBias(out.data(), bias.data(), B, C);
    HostOps().BiasGradient(gradient.data(), in.data(), B, C);
    for (int64_t i = 0; i < B * C; ++i) ASSERT_EQ(out[i], in[i] + bias[i % C]);
    for (int64_t c = 0; c < C; ++c) ASSERT_EQ(gradient[c], LaneTreeSum(in.data() + c, B, C)) << c;
  }
}

TEST(Embed, CopiesRowsAndItsGradientAddsThemInOrder) {
  constexpr int64_t B = 11, T = 5, C = 7, V = 6;
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < B * T; ++i)
    tokens.push_back(static_cast<int32_t>(RandomBelow(1, 1, i, V - 1)));  // the last row is never used
  const std::vector<float> table = OrdinaryFloats(V * C, 1), upstream = OrdinaryFloats(B * T * C, 2);
  std::vector<float> out(B * T * C), gradient(V * C, 99.0f), expected(V * C, 0.0f);
  HostOps().Embed(out.data(), table.data(), {0, V}, tokens.data(), B, T, C);
  HostOps().EmbedGradient(gradient.data(), {0, V}, upstream.data(), tokens.data(), B, T, C);
  for (int64_t i = 0; i < B * T * C; ++i) {
    const int64_t element = tokens[i / C] * C + i % C;
    ASSERT_EQ(out[i], table[element]);
    expected[element] += upstream[i];
  }
  EXPECT_EQ(CanonicalBitsOf(gradient), CanonicalBitsOf(expected));
}

}  // namespace
}  // namespace zerocts
