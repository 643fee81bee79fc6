#include "reference/numerics/exact_sum.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "reference/numerics/floats_for_test.hpp"

namespace zerocts {
namespace {

SumOfSquares SumOf(const std::vector<float>& values) {
  SumOfSquares sum;
  sum.Add(values.data(), static_cast<int64_t>(values.size()));
  return sum;
}

/// Exact in 1024 bits (squares of fp32 span 554 bits), then rounded once.
double ExactByMpfr(const std::vector<float>& values) {
  mpfr_t sum, square;
  mpfr_inits2(1024, sum, square, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_zero(sum, 1);
  for (const float x : values) {
    mpfr_set_flt(square, x, MPFR_RNDN);
    mpfr_sqr(square, square, MPFR_RNDN);
    mpfr_add(sum, sum, square, MPFR_RNDN);
  }
  const double result = mpfr_get_d(sum, MPFR_RNDN);
  mpfr_clears(sum, square, static_cast<mpfr_ptr>(nullptr));
  return result;
}

/// Unequal contiguous shards, some empty when there are more shards than values.
std::vector<SumOfSquares> SumsOfShards(const std::vector<float>& values, int shards) {
  const auto count = static_cast<int64_t>(values.size());
  std::vector<SumOfSquares> sums(shards);
  for (int i = 0; i < shards; ++i) {
    const int64_t begin = count * i * i / (shards * shards), end = count * (i + 1) * (i + 1) / (shards * shards);
    sums[i].Add(values.data() + begin, end - begin);
  }
  return sums;
}

class Magnitudes : public testing::TestWithParam<std::vector<float>> {};

TEST_P(Magnitudes, IsTheExactSumRoundedOnce) { EXPECT_EQ(SumOf(GetParam()).Value(), ExactByMpfr(GetParam())); }

TEST_P(Magnitudes, DependsOnNoShard) {
  const double expected = SumOf(GetParam()).Value();
  for (const int shards : {3, 7, 64}) {
    const std::vector<SumOfSquares> sums = SumsOfShards(GetParam(), shards);
    SumOfSquares merged;
    for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum) merged.Merge(*sum);
    EXPECT_EQ(merged.Value(), expected) << shards << " shards";

    SumOfSquares reduced;  // as an all-reduce of plain 64-bit integers does it
    for (const SumOfSquares& sum : sums) {
      for (int i = 0; i < 256; ++i) {
        reduced.bins[i].low += sum.bins[i].low;
        reduced.bins[i].high += sum.bins[i].high;
      }
    }
    EXPECT_EQ(reduced.Value(), expected) << shards << " shards, all-reduce";
  }
}

std::vector<float> Subnormals() {
  std::vector<float> values = FiniteFloats(5001, 3);
  for (float& x : values) x = FromBits(Bits(x) & 0x807fffffu);
  return values;
}

INSTANTIATE_TEST_SUITE_P(
    ExactSum, Magnitudes,
    testing::Values(OrdinaryFloats(100003, 1), FiniteFloats(70001, 2), Subnormals(),
                    std::vector<float>(40000, std::numeric_limits<float>::max()), std::vector<float>{},
                    std::vector<float>{-0.0f}, std::vector<float>{FromBits(1)},
                    std::vector<float>{FromBits(1), 0x1p127f},            // the widest pair
                    std::vector<float>{0x1p0f, 0x1p-27f, FromBits(1)}));  // just above a tie: 1 + 2^-54 + a little

TEST(ExactSum, TiesGoToEven) {
  // 1 + 2^-53 is halfway between 1 and 1 + 2^-52; two squares of 2^-27 make 2^-53.
  EXPECT_EQ(SumOf({1.0f, 0x1p-27f, 0x1p-27f}).Value(), 1.0);
  EXPECT_EQ(SumOf({1.0f, 0x1p-27f, 0x1p-27f, FromBits(1)}).Value(), 1.0 + 0x1p-52);
  EXPECT_EQ(SumOf({1.0f, 0x1p-26f, 0x1p-27f, 0x1p-27f}).Value(), 1.0 + 0x1p-51);
}

TEST(ExactSum, CarriesAcrossWords) {
  SumOfSquares sum = SumOf({FromBits(0x3fffffffu)});
  const double one = sum.Value();
  for (int doubling = 0; doubling < 60; ++doubling) sum.Merge(SumOfSquares(sum));
  EXPECT_EQ(sum.Value(), std::ldexp(one, 60));
}

TEST(ExactSum, IsNanWhenAValueIsNotFinite) {
  for (const float bad :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), FromBits(0x7f800001u)}) {
    SumOfSquares sum = SumOf({1.0f, 2.0f});
    sum.Merge(SumOf({bad}));
    EXPECT_TRUE(std::isnan(sum.Value()));
    EXPECT_TRUE(std::isnan(sum.Norm()));
  }
}

TEST(ExactSum, NormIsTheRoot) {
  EXPECT_EQ(SumOf({3.0f, -4.0f}).Norm(), 5.0f);
  EXPECT_EQ(Bits(SumOf({}).Norm()), 0u);
  EXPECT_EQ(SumOf({FromBits(1)}).Norm(), FromBits(1));
}

RC_GTEST_PROP(ExactSum, AgreesWithMpfr, (std::vector<uint32_t> patterns)) {
  std::vector<float> values;
  for (const uint32_t bits : patterns) {
    if (std::isfinite(FromBits(bits))) values.push_back(FromBits(bits));
  }
  RC_ASSERT(SumOf(values).Value() == ExactByMpfr(values));
}

}  // namespace
}  // namespace zerocts
