#include "reference/numerics/magnitudes.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "reference/numerics/floats_for_test.hpp"

namespace zerocts {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

SumOfMagnitudes SumOf(const std::vector<float>& values) {
  SumOfMagnitudes sum;
  sum.Add(values.data(), static_cast<int64_t>(values.size()));
  return sum;
}

/// Exact in 512 bits (magnitudes of fp32 span 277, their count adds some), then rounded once to fp32. No sum of fp32
/// values is so small that it would be rounded to a subnormal.
float ExactByMpfr(const std::vector<float>& values) {
  mpfr_t sum, rounded;
  mpfr_init2(sum, 512);
  mpfr_init2(rounded, 24);
  mpfr_set_zero(sum, 1);
  for (const float x : values) mpfr_add_d(sum, sum, std::abs(x), MPFR_RNDN);
  mpfr_set(rounded, sum, MPFR_RNDN);
  const float result = mpfr_get_flt(rounded, MPFR_RNDN);
  mpfr_clear(sum);
  mpfr_clear(rounded);
  return result;
}

TEST(SumOfMagnitudes, IsTheExactSumRoundedOnce) {
  const std::vector<std::vector<float>> inputs = {
      OrdinaryFloats(100003, 1),
      FiniteFloats(70001, 2),
      {},
      {-0.0f},
      {FromBits(1)},
      {FromBits(1), -0x1p127f},
      {1.0f, 0x1p-24f},                       // a tie: to even
      {1.0f, 0x1p-24f, FromBits(1)},          // just above it: a double in between would lose this
      {1.0f, 0x1p-23f, 0x1p-24f},             // a tie: to even, upwards
      std::vector<float>(4, 0x1.fffffep125f)  // up to the largest exponent
  };
  for (const std::vector<float>& values : inputs) EXPECT_EQ(Bits(SumOf(values).Value()), Bits(ExactByMpfr(values)));
  EXPECT_EQ(SumOf({1.0f, 0x1p-24f}).Value(), 1.0f);
  EXPECT_EQ(SumOf({-1.0f, 0x1p-24f, FromBits(1)}).Value(), 1.0f + 0x1p-23f);
  EXPECT_EQ(SumOf(std::vector<float>(2, std::numeric_limits<float>::max())).Value(), kInfinity);
}

RC_GTEST_PROP(SumOfMagnitudes, AgreesWithMpfrAndDependsOnNoShard, (std::vector<uint32_t> patterns, size_t cut)) {
  std::vector<float> values;
  for (const uint32_t bits : patterns) {
    if (std::isfinite(FromBits(bits))) values.push_back(FromBits(bits));
  }
  RC_ASSERT(Bits(SumOf(values).Value()) == Bits(ExactByMpfr(values)));
  const auto middle = values.begin() + static_cast<ptrdiff_t>(cut % (values.size() + 1));
  SumOfMagnitudes second = SumOf({middle, values.end()});
  second.Merge(SumOf({values.begin(), middle}));
  RC_ASSERT(second.bins == SumOf(values).bins);
  RC_ASSERT(Bits(second.Largest()) == Bits(SumOf(values).Largest()));
}

TEST(SumOfMagnitudes, KnowsTheLargest) {
  EXPECT_EQ(SumOf({3.0f, -4.0f, 0.5f}).Largest(), 4.0f);
  EXPECT_EQ(Bits(SumOf({-0.0f}).Largest()), 0u);
  EXPECT_EQ(Bits(SumOf({}).Largest()), 0u);
  EXPECT_EQ(SumOf({FromBits(0x80000001u)}).Largest(), FromBits(1));
}

TEST(SumOfMagnitudes, IsNanWhenAValueIsNotFinite) {
  for (const float bad : {kInfinity, -kInfinity, FromBits(0x7f800001u)}) {
    SumOfMagnitudes sum = SumOf({1.0f, 2.0f});
    sum.Merge(SumOf({bad}));
    EXPECT_FALSE(sum.finite());
    EXPECT_TRUE(std::isnan(sum.Value()));
    EXPECT_TRUE(std::isnan(sum.Largest()));
  }
}

}  // namespace
}  // namespace zerocts
