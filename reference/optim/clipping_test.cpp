#include "reference/optim/clipping.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace zerocts {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float NormOf(NormKind kind, const std::vector<float>& values, size_t cut = 0) {
  GradientNorm norm(kind);
  norm.Add(HostOps(), values.data() + cut, static_cast<int64_t>(values.size() - cut));
  norm.Add(HostOps(), values.data(), static_cast<int64_t>(cut));
  return norm.Norm();
}

TEST(GradientNorm, IsTheDeclaredOne) {
  const std::vector<float> values = {3.0f, -4.0f, 0.0f};
  for (const size_t cut : {0, 1, 3}) {
    EXPECT_EQ(NormOf(NormKind::kOne, values, cut), 7.0f);
    EXPECT_EQ(NormOf(NormKind::kTwo, values, cut), 5.0f);
    EXPECT_EQ(NormOf(NormKind::kInfinity, values, cut), 4.0f);
  }
}

TEST(GradientNorm, IsNanWhenAValueIsNotFinite) {
  for (const NormKind kind : {NormKind::kOne, NormKind::kTwo, NormKind::kInfinity}) {
    EXPECT_TRUE(std::isnan(NormOf(kind, {1.0f, kInfinity})));
    EXPECT_TRUE(std::isnan(NormOf(kind, {NAN, 1.0f})));
    EXPECT_EQ(NormOf(kind, {}), 0.0f);
  }
}

TEST(ClipCoefficient, FollowsItsFormula) {
  using enum ClipFormula;
  for (const ClipFormula formula : {kMin, kTorch, kAbove}) {
    EXPECT_EQ(ClipCoefficient(formula, 123.0f, 0.0f, 1e-6f), 1.0f);  // no clipping
    EXPECT_EQ(ClipCoefficient(formula, 0.5f, 1.0f, 1e-6f), 1.0f);
    EXPECT_EQ(ClipCoefficient(formula, 4.0f, 1.0f, 0.0f), 0.25f);
    EXPECT_TRUE(std::isnan(ClipCoefficient(formula, kInfinity, 1.0f, 1e-6f)));
    EXPECT_TRUE(std::isnan(ClipCoefficient(formula, NAN, 1.0f, 1e-6f)));
  }
  // Within epsilon of the largest norm.
  EXPECT_EQ(ClipCoefficient(kMin, 1.0f, 1.0f, 0.25f), 0.8f);
  EXPECT_EQ(ClipCoefficient(kTorch, 1.0f, 1.0f, 0.25f), 0.8f);
  EXPECT_EQ(ClipCoefficient(kAbove, 1.0f, 1.0f, 0.25f), 1.0f);
  EXPECT_EQ(ClipCoefficient(kAbove, 1.0f + 0x1p-23f, 1.0f, 0.25f), 1.0f / (1.25f + 0x1p-23f));
  // 5 / 6 rounded once, and by way of 1 / 6.
  EXPECT_EQ(ClipCoefficient(kMin, 6.0f, 5.0f, 0.0f), 0x1.aaaaaap-1f);
  EXPECT_EQ(ClipCoefficient(kTorch, 6.0f, 5.0f, 0.0f), 0x1.aaaaacp-1f);
}

TEST(ClippingNames, ReadBack) {
  for (const NormKind kind : {NormKind::kOne, NormKind::kTwo, NormKind::kInfinity}) {
    EXPECT_EQ(NormKindFromString(ToString(kind)), kind);
  }
  for (const ClipFormula formula : {ClipFormula::kMin, ClipFormula::kTorch, ClipFormula::kAbove}) {
    EXPECT_EQ(ClipFormulaFromString(ToString(formula)), formula);
  }
  EXPECT_THROW(NormKindFromString("3"), std::invalid_argument);
  EXPECT_THROW(ClipFormulaFromString("max"), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
