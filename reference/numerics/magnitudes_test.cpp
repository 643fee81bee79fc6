#include "reference/numerics/magnitudes.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "reference/numerics/floats_for_test.hpp"

namespace zerocts {
namespace {

constexpr float kInfiniteMagnitude = std::numeric_limits<float>::infinity();

SumOfMagnitudes MagnitudesOf(const std::vector<float>& values) {
  SumOfMagnitudes sum;
  sum.Add(values.data(), static_cast<int64_t>(values.size()));
  return sum;
}

/// Exact in 512 bits (magnitudes of fp32 span 277, their count adds some), then rounded once to fp32. No sum of fp32
/// values is so small that it would be rounded to a subnormal.
float MagnitudesByMpfr(const std::vector<float>& values) {
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
  for (const std::vector<float>& values : inputs)
    EXPECT_EQ(Bits(MagnitudesOf(values).Value()), Bits(MagnitudesByMpfr(values)));
  EXPECT_EQ(MagnitudesOf({1.0f, 0x1p-24f}).Value(), 1.0f);
  EXPECT_EQ(MagnitudesOf({-1.0f, 0x1p-24f, FromBits(1)}).Value(), 1.0f + 0x1p-23f);
  EXPECT_EQ(MagnitudesOf(std::vector<float>(2, std::numeric_limits<float>::max())).Value(), kInfiniteMagnitude);
}

RC_GTEST_PROP(SumOfMagnitudes, AgreesWithMpfrAndDependsOnNoShard, (std::vector<uint32_t> patterns, size_t cut)) {
  std::vector<float> values;
  for (const uint32_t bits : patterns) {
    if (std::isfinite(FromBits(bits))) values.push_back(FromBits(bits));
  }
  RC_ASSERT(Bits(MagnitudesOf(values).Value()) == Bits(MagnitudesByMpfr(values)));
  const auto middle = values.begin() + static_cast<ptrdiff_t>(cut % (values.size() + 1));
  SumOfMagnitudes second = MagnitudesOf({middle, values.end()});
  second.Merge(MagnitudesOf({values.begin(), middle}));
  RC_ASSERT(second.bins == MagnitudesOf(values).bins);
  RC_ASSERT(Bits(second.Largest()) == Bits(MagnitudesOf(values).Largest()));
}

TEST(SumOfMagnitudes, KnowsTheLargest) {
  EXPECT_EQ(MagnitudesOf({3.0f, -4.0f, 0.5f}).Largest(), 4.0f);
  EXPECT_EQ(Bits(MagnitudesOf({-0.0f}).Largest()), 0u);
  EXPECT_EQ(Bits(MagnitudesOf({}).Largest()), 0u);
  EXPECT_EQ(MagnitudesOf({FromBits(0x80000001u)}).Largest(), FromBits(1));
}

TEST(SumOfMagnitudes, IsNanWhenAValueIsNotFinite) {
  for (const float bad : {kInfiniteMagnitude, -kInfiniteMagnitude, FromBits(0x7f800001u)}) {
    SumOfMagnitudes sum = MagnitudesOf({1.0f, 2.0f});
    sum.Merge(MagnitudesOf({bad}));
    EXPECT_FALSE(sum.finite());
    EXPECT_TRUE(std::isnan(sum.Value()));
    EXPECT_TRUE(std::isnan(sum.Largest()));
  }
}

}  // namespace
}  // namespace zerocts
