#include "reference/optim/step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace zerocts {
namespace {

constexpr float kInfiniteGradient = std::numeric_limits<float>::infinity();

TEST(ClipCoefficient, IsOneUnlessTheNormIsTooLarge) {
  EXPECT_EQ(ClipCoefficient(123.0f, 0.0f, 1e-6f), 1.0f);  // no clipping
  EXPECT_EQ(ClipCoefficient(0.5f, 1.0f, 1e-6f), 1.0f);
  EXPECT_EQ(ClipCoefficient(0.0f, 1.0f, 0.0f), 1.0f);
  EXPECT_EQ(ClipCoefficient(4.0f, 1.0f, 0.0f), 0.25f);
  EXPECT_EQ(ClipCoefficient(1.0f, 1.0f, 1e-3f), 1.0f / (1.0f + 1e-3f));
}

TEST(ClipCoefficient, IsNanWhenTheNormIsNotFinite) {
  EXPECT_TRUE(std::isnan(ClipCoefficient(kInfiniteGradient, 1.0f, 1e-6f)));
  EXPECT_TRUE(std::isnan(ClipCoefficient(NAN, 1.0f, 1e-6f)));
  EXPECT_EQ(ClipCoefficient(NAN, 0.0f, 1e-6f), 1.0f);
}

TEST(BetaProducts, MultiplyTheBetasOfTheirSteps) {
  HyperParameters a, b;
  a.beta1 = 0.5f;
  a.beta2 = 0.75f;
  b.beta1 = 0.25f;
  b.beta2 = 0.5f;
  BetaProducts products;
  products.Advance(a);
  products.Advance(a);
  products.Advance(b);
  EXPECT_EQ(products.beta1, 0.0625);
  EXPECT_EQ(products.beta2, 0.28125);
}

// The textbook form in double; fp32 may differ from it by its roundings: at most 16 per step and element, each at most
// half a unit in the last place of a value not above 2 in magnitude, and none is amplified since |u| <= 1 / (1 -
// beta1).
TEST(ApplyStep, IsAdamW) {
  HyperParameters h;
  h.lr = 0.01f;
  h.weight_decay = 0.1f;
  h.beta2 = 0.95f;
  const int kSteps = 20;
  const float clip = 0.5f;
  std::vector<float> p = {1.0f, -0.5f, 0.25f}, m(3), v(3);
  std::vector<double> P(p.begin(), p.end()), M(3), V(3);
  BetaProducts products;
  for (int t = 1; t <= kSteps; ++t) {
    if (t == 11) h.lr = 0.02f;
    const std::vector<float> g = {0.5f, -0.25f * static_cast<float>(t % 3), 0.125f * static_cast<float>(t)};
    products.Advance(h);
    ApplyStep(HostOps(), OptimizerKind::kAdamW, h, products, clip, {p.data(), m.data(), v.data()}, g.data(), 3);
    for (int i = 0; i < 3; ++i) {
      const double gradient = double{clip} * g[i];
      M[i] = double{h.beta1} * M[i] + (1 - double{h.beta1}) * gradient;
      V[i] = double{h.beta2} * V[i] + (1 - double{h.beta2}) * gradient * gradient;
      const double m_hat = M[i] / (1 - std::pow(double{h.beta1}, t)), v_hat = V[i] / (1 - std::pow(double{h.beta2}, t));
      P[i] -= h.lr * (m_hat / (std::sqrt(v_hat) + double{h.eps}) + h.weight_decay * P[i]);
    }
  }
  const double bound = kSteps * 16 * std::ldexp(2.0, -24);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(p[i], P[i], bound);
    EXPECT_NEAR(m[i], M[i], bound);
    EXPECT_NEAR(v[i], V[i], bound);
  }
}

TEST(ApplyStep, IsSgdWithMomentum) {
  HyperParameters h;
  h.lr = 0.5f;
  h.momentum = 0.5f;
  h.weight_decay = 0.25f;
  std::vector<float> p = {8.0f, -4.0f}, u(2);
  const std::vector<float> g = {4.0f, 8.0f};
  // clip 0.5: d = 2 + 2, 4 - 1; u = d; p = 8 - 2, -4 - 1.5
  ApplyStep(HostOps(), OptimizerKind::kSgd, h, {}, 0.5f, {p.data(), u.data(), nullptr}, g.data(), 2);
  EXPECT_EQ(u, (std::vector<float>{4.0f, 3.0f}));
  EXPECT_EQ(p, (std::vector<float>{6.0f, -5.5f}));
  // d = 2 + 1.5, 4 - 1.375; u = 2 + 3.5, 1.5 + 2.625
  ApplyStep(HostOps(), OptimizerKind::kSgd, h, {}, 0.5f, {p.data(), u.data(), nullptr}, g.data(), 2);
  EXPECT_EQ(u, (std::vector<float>{5.5f, 4.125f}));
  EXPECT_EQ(p, (std::vector<float>{3.25f, -7.5625f}));
}

// One element and numbers that stay exact: with betas of 0 the corrections are 1.
TEST(ApplyStep, IsAdamWithDecayInTheGradient) {
  const HyperParameters h{.lr = 0.5f, .weight_decay = 0.25f, .beta1 = 0.0f, .beta2 = 0.0f, .eps = 0x1p-30f};
  std::vector<float> p = {8.0f}, m(1), v(1);
  BetaProducts products;
  products.Advance(h);
  // g = 0.5 * 4 + 0.25 * 8 = 4, so m = 4, v = 16, u = 4 / 4, p = 8 - 0.5
  const std::vector<float> g = {4.0f};
  ApplyStep(HostOps(), OptimizerKind::kAdam, h, products, 0.5f, {p.data(), m.data(), v.data()}, g.data(), 1);
  EXPECT_EQ(m[0], 4.0f);
  EXPECT_EQ(v[0], 16.0f);
  EXPECT_EQ(p[0], 7.5f);
}

TEST(ApplyStep, IsLambWithOneLengthForTheWholeTensor) {
  const HyperParameters h{.lr = 0.5f, .weight_decay = 0.25f, .beta1 = 0.0f, .beta2 = 0.0f, .eps = 0x1p-30f};
  std::vector<float> p = {12.0f, -16.0f}, m(2), v(2);
  BetaProducts products;
  products.Advance(h);
  // u = 1 + 3, 1 - 4: |p| = 20, |u| = 5; p - 0.5 * 4 * u
  const std::vector<float> g = {2.0f, 3.0f};
  ApplyStep(HostOps(), OptimizerKind::kLamb, h, products, 1.0f, {p.data(), m.data(), v.data()}, g.data(), 2);
  EXPECT_EQ(p, (std::vector<float>{4.0f, -10.0f}));
}

TEST(TrustRatio, IsOneWhenANormIsZero) {
  EXPECT_EQ(TrustRatio(6.0f, 4.0f), 1.5f);
  EXPECT_EQ(TrustRatio(0.0f, 4.0f), 1.0f);
  EXPECT_EQ(TrustRatio(6.0f, 0.0f), 1.0f);
  EXPECT_TRUE(std::isnan(TrustRatio(NAN, 1.0f)));
}

TEST(ApplyStep, DampensAllButTheFirstGradientOfTheBuffer) {
  const HyperParameters h{.lr = 1.0f, .momentum = 0.5f, .dampening = 0.75f};
  std::vector<float> p = {16.0f}, u(1);
  const std::vector<float> g = {4.0f};
  BetaProducts products;
  const auto step = [&] {
    products.Advance(h);
    ApplyStep(HostOps(), OptimizerKind::kSgd, h, products, 1.0f, {p.data(), u.data(), nullptr}, g.data(), 1);
  };
  step();
  EXPECT_EQ(u[0], 4.0f);
  EXPECT_EQ(p[0], 12.0f);
  step();  // 0.5 * 4 + 0.25 * 4
  EXPECT_EQ(u[0], 3.0f);
  EXPECT_EQ(p[0], 9.0f);
}

TEST(ApplyStep, LooksAheadWithNesterov) {
  const HyperParameters h{.lr = 1.0f, .momentum = 0.5f, .nesterov = true};
  std::vector<float> p = {16.0f}, u(1);
  const std::vector<float> g = {4.0f};
  BetaProducts products;
  products.Advance(h);
  // u = 4, p - (4 + 0.5 * 4)
  ApplyStep(HostOps(), OptimizerKind::kSgd, h, products, 1.0f, {p.data(), u.data(), nullptr}, g.data(), 1);
  EXPECT_EQ(u[0], 4.0f);
  EXPECT_EQ(p[0], 10.0f);
}

TEST(ApplyStep, CorrectsByTheCurrentBetaWhereTheFormulaSays) {
  const HyperParameters first{.lr = 1.0f, .beta1 = 0.5f, .beta2 = 0.75f, .eps = 0.0f};
  HyperParameters second = first;
  second.beta1 = 0.25f;
  const auto second_update = [&](BetaPowers powers) {
    std::vector<float> p = {0.0f}, m = {6.0f}, v = {0.0f};
    const std::vector<float> g = {8.0f};  // m = 7.5, v = 16
    BetaProducts products;
    products.Advance(first);
    products.Advance(second);
    ApplyStep(HostOps(), {OptimizerKind::kAdam, {.bias_correction = BiasCorrection::kSeparate, .beta_powers = powers}},
              second, products, 1.0f, {p.data(), m.data(), v.data()}, g.data(), 1);
    return p[0];
  };
  const float denominator = std::sqrt(16.0f / 0.4375f);
  EXPECT_EQ(second_update(BetaPowers::kProduct), -((7.5f / 0.875f) / denominator));   // 1 - 0.5 * 0.25
  EXPECT_EQ(second_update(BetaPowers::kCurrent), -((7.5f / 0.9375f) / denominator));  // 1 - 0.25 * 0.25
}

// One element whose moments are m = 4 and v = 16; the corrections of this first step are c1 = 0.5 and c2 = 0.25.
TEST(ApplyStep, PutsEpsilonDecayAndCorrectionsWhereTheFormulaSays) {
  HyperParameters h{.lr = 0.5f, .beta1 = 0.5f, .beta2 = 0.75f, .eps = 9.0f};
  const auto step_from = [&](float before, const OptimizerFormula& formula) {
    std::vector<float> p = {before}, m = {0.0f}, v = {0.0f};
    const std::vector<float> g = {8.0f};  // m = 4, v = 16; corrected 8 and 64
    BetaProducts products;
    products.Advance(h);
    ApplyStep(HostOps(), {OptimizerKind::kAdamW, formula}, h, products, 1.0f, {p.data(), m.data(), v.data()}, g.data(),
              1);
    EXPECT_EQ(m[0], 4.0f);
    EXPECT_EQ(v[0], 16.0f);
    return p[0];
  };
  using enum EpsilonPosition;
  using enum BiasCorrection;
  const auto expect = [&](BiasCorrection correction, EpsilonPosition epsilon, float eps, double update) {
    h.eps = eps;
    EXPECT_EQ(step_from(0.0f, {.bias_correction = correction, .epsilon = epsilon}),
              static_cast<float>(-0.5f * static_cast<float>(update)))
        << static_cast<int>(correction) << static_cast<int>(epsilon);
  };
  expect(kSeparate, kOutside, 8.0f, 8.0 / 16);             // 8 + 8
  expect(kSeparate, kOutsideUncorrected, 4.0f, 8.0 / 16);  // (4 + 4) / 0.5
  expect(kSeparate, kInside, 192.0f, 8.0 / 16);            // sqrt(64 + 192)
  expect(kSeparate, kInsideUncorrected, 48.0f, 8.0 / 16);  // sqrt(16 + 48) / 0.5
  expect(kFolded, kOutside, 8.0f, 8.0 / 16);
  expect(kFolded, kOutsideUncorrected, 4.0f, 8.0 / 16);
  expect(kFolded, kInside, 192.0f, 8.0 / 16);
  expect(kFolded, kInsideUncorrected, 48.0f, 8.0 / 16);
  expect(kNone, kOutside, 4.0f, 4.0 / 8);
  expect(kNone, kInside, 48.0f, 4.0 / 8);

  h.eps = 8.0f;
  h.weight_decay = 0.5f;  // 1 - lr * weight_decay = 0.75; u = 0.5
  EXPECT_EQ(step_from(4.0f, {}), 4.0f - 0.5f * 2.5f);
  EXPECT_EQ(step_from(4.0f, {.decay = DecayPosition::kBefore}), 3.0f - 0.25f);
  EXPECT_EQ(step_from(4.0f, {.decay = DecayPosition::kAfter}), 0.75f * 3.75f);
  EXPECT_EQ(step_from(4.0f, {.decay = DecayPosition::kBefore, .update = UpdateOrder::kProductFirst}), 3.0f - 0.25f);
}

TEST(ApplyStep, ToNoElementsDoesNothing) {
  ApplyStep(HostOps(), OptimizerKind::kLamb, {}, {}, 1.0f, {nullptr, nullptr, nullptr}, nullptr, 0);
  ApplyStep(HostOps(), OptimizerKind::kAdamW, {}, {}, 1.0f, {nullptr, nullptr, nullptr}, nullptr, 0);
}

}  // namespace
}  // namespace zerocts
