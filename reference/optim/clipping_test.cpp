#include "reference/optim/clipping.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "reference/ops/rounding_oracle_for_test.hpp"

namespace zerocts {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr ClipFormula kFormulas[] = {ClipFormula::kMin,           ClipFormula::kTorch,
                                     ClipFormula::kAbove,         ClipFormula::kDeepSpeed,
                                     ClipFormula::kDeepSpeedFp64, ClipFormula::kDeepSpeedReciprocal};

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
  for (const ClipFormula formula : kFormulas) {
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

/// DEEPSPEED_CLIP(norm, max_norm, by what stages 1 and 2 and by what stage 3 multiply gradients, as bits).
struct DeepSpeedClip {
  float norm, max_norm;
  uint32_t bits, bits_of_stage_3;
};
constexpr DeepSpeedClip kDeepSpeedClips[] = {
#define DEEPSPEED_CLIP(norm, max_norm, bits, bits_of_stage_3) {norm, max_norm, bits, bits_of_stage_3},
#include "reference/optim/deepspeed_clip_bits.inc"
#undef DEEPSPEED_CLIP
};

TEST(DeepSpeedClip, HasTheBitsOfDeepSpeed) {
  ASSERT_EQ(std::size(kDeepSpeedClips), 12u);
  int from_min = 0, from_each_other = 0;
  for (const DeepSpeedClip& clip : kDeepSpeedClips) {
    const auto bits = [&](ClipFormula formula) {
      return std::bit_cast<uint32_t>(ClipCoefficient(formula, clip.norm, clip.max_norm, 1e-6f));
    };
    EXPECT_EQ(bits(ClipFormula::kDeepSpeed), clip.bits) << clip.norm << " to " << clip.max_norm;
    EXPECT_EQ(bits(ClipFormula::kDeepSpeedFp64), clip.bits_of_stage_3) << clip.norm << " to " << clip.max_norm;
    from_min += bits(ClipFormula::kMin) != clip.bits;
    from_each_other += clip.bits != clip.bits_of_stage_3;
  }
  EXPECT_GT(from_min, 0);
  EXPECT_GT(from_each_other, 0);
}

/// Norms and limits over many exponents.
template <typename Check>
void ForManyNorms(Check check) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> significand(1.0f, 2.0f);
  for (int i = 0; i < 20000; ++i) {
    const float norm = std::ldexp(significand(random), static_cast<int>(random() % 40) - 25);
    check(norm, norm * significand(random) * std::ldexp(1.0f, -static_cast<int>(random() % 12)));
  }
}

TEST(DeepSpeedClip, RoundsEveryOperationToFp32) {
  RoundingOracle oracle;
  ForManyNorms([&](float norm, float max_norm) {
    const float quotient = oracle.Over(oracle.Plus(norm, 1e-6f), max_norm);
    const float expected = quotient > 1.0f ? oracle.Over(1.0f, quotient) : 1.0f;
    EXPECT_EQ(ClipCoefficient(ClipFormula::kDeepSpeed, norm, max_norm, 1e-6f), expected) << norm << " to " << max_norm;
  });
}

TEST(DeepSpeedClip, OfStage3RoundsEveryOperationToFp64) {
  mpfr_t value;
  mpfr_init2(value, 53);
  ForManyNorms([&](float norm, float max_norm) {
    mpfr_set_flt(value, norm, MPFR_RNDN);
    mpfr_add_d(value, value, 1e-6f, MPFR_RNDN);
    mpfr_div_d(value, value, max_norm, MPFR_RNDN);
    if (mpfr_cmp_ui(value, 1) < 0) mpfr_set_ui(value, 1, MPFR_RNDN);
    mpfr_ui_div(value, 1, value, MPFR_RNDN);
    EXPECT_EQ(ClipCoefficient(ClipFormula::kDeepSpeedFp64, norm, max_norm, 1e-6f), mpfr_get_flt(value, MPFR_RNDN))
        << norm << " to " << max_norm;
  });
  mpfr_clear(value);
}

/// Seen on an H100 with torch 2.11.
TEST(DeepSpeedClip, OnAGpuHasTheBitsOfDeepSpeed) {
  const auto bits = [](ClipFormula formula) {
    return std::bit_cast<uint32_t>(ClipCoefficient(formula, 1.5f, 0.75f, 1e-6f));
  };
  EXPECT_EQ(bits(ClipFormula::kDeepSpeedReciprocal), 1056964596u);
  EXPECT_EQ(bits(ClipFormula::kDeepSpeed), 1056964598u);
}

TEST(DeepSpeedClip, OnAGpuRoundsTheReciprocalToo) {
  RoundingOracle oracle;
  ForManyNorms([&](float norm, float max_norm) {
    const float quotient = oracle.Times(oracle.Plus(norm, 1e-6f), oracle.Over(1.0f, max_norm));
    const float expected = quotient > 1.0f ? oracle.Over(1.0f, quotient) : 1.0f;
    EXPECT_EQ(ClipCoefficient(ClipFormula::kDeepSpeedReciprocal, norm, max_norm, 1e-6f), expected)
        << norm << " to " << max_norm;
  });
}

TEST(ClippingNames, ReadBack) {
  for (const NormKind kind : {NormKind::kOne, NormKind::kTwo, NormKind::kInfinity}) {
    EXPECT_EQ(NormKindFromString(ToString(kind)), kind);
  }
  for (const ClipFormula formula : kFormulas) {
    EXPECT_EQ(ClipFormulaFromString(ToString(formula)), formula);
  }
  EXPECT_THROW(NormKindFromString("3"), std::invalid_argument);
  EXPECT_THROW(ClipFormulaFromString("max"), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
