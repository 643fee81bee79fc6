#include "reference/optim/step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace zerocts {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ClipCoefficient, IsOneUnlessTheNormIsTooLarge) {
  EXPECT_EQ(ClipCoefficient(123.0f, 0.0f, 1e-6f), 1.0f);  // no clipping
  EXPECT_EQ(ClipCoefficient(0.5f, 1.0f, 1e-6f), 1.0f);
  EXPECT_EQ(ClipCoefficient(0.0f, 1.0f, 0.0f), 1.0f);
  EXPECT_EQ(ClipCoefficient(4.0f, 1.0f, 0.0f), 0.25f);
  EXPECT_EQ(ClipCoefficient(1.0f, 1.0f, 1e-3f), 1.0f / (1.0f + 1e-3f));
}

TEST(ClipCoefficient, IsNanWhenTheNormIsNotFinite) {
  EXPECT_TRUE(std::isnan(ClipCoefficient(kInfinity, 1.0f, 1e-6f)));
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

TEST(ApplyStep, ToNoElementsDoesNothing) {
  ApplyStep(HostOps(), OptimizerKind::kAdamW, {}, {}, 1.0f, {nullptr, nullptr, nullptr}, nullptr, 0);
}

}  // namespace
}  // namespace zerocts
