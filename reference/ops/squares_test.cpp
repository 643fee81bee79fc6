// The fast sum of squares against SumOfSquares::Add, bit for bit, for every kernel table and number of threads.
#include "reference/ops/squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

uint64_t DoubleBits(double x) { return x != x ? 0x7ff8000000000000u : __builtin_bit_cast(uint64_t, x); }

void ExpectDefinition(const std::vector<float>& values) {
  const auto numel = static_cast<int64_t>(values.size());
  SumOfSquares expected;
  expected.Add(values.data(), numel);
  for (const std::string& kernels : HostKernelNames()) {
    for (const int threads : {1, 3}) {
      SumOfSquares sum;
      HostOpsWith(kernels, threads).AddSquares(&sum, values.data(), numel);
      ASSERT_EQ(DoubleBits(sum.Value()), DoubleBits(expected.Value())) << kernels << ", " << numel << " values";
    }
  }
}

/// Any mantissa and sign, biased exponents in [smallest, smallest + count).
std::vector<float> WithExponents(int64_t numel, int smallest, int count) {
  std::vector<float> values(numel);
  for (int64_t i = 0; i < numel; ++i) {
    const uint64_t bits = RandomBits(smallest, count, i);
    values[i] = FromBits((static_cast<uint32_t>(bits) & 0x807fffffu) |
                         static_cast<uint32_t>(smallest + static_cast<int>((bits >> 32) % count)) << 23);
  }
  return values;
}

TEST(Squares, AreTheDefinitionOnEveryKindOfFloat) {
  for (const int64_t numel : {0, 1, 7, 1000, 4096, 4097, 70001}) {
    for (const auto& floats : {OrdinaryFloats, FiniteFloats}) ExpectDefinition(floats(numel, 1));
    ExpectDefinition(std::vector<float>(numel, -0.0f));
  }
  ExpectDefinition(WildFloats(9000, 1));  // NaN
}

TEST(Squares, AreTheDefinitionForEveryRangeOfExponents) {
  for (const int smallest : {0, 1, 2, 20, 21, 100, 230, 234}) {
    for (const int count : {1, 2, 20, 21, 22, 40}) {
      if (smallest + count <= 255) ExpectDefinition(WithExponents(5000, smallest, count));
    }
  }
}

TEST(Squares, OneValueOutsideTheWindowCounts) {
  for (const int below : {19, 20, 21, 22, 60, 126}) {
    for (const int64_t index : {0, 4095, 4096, 8191, 8999}) {
      std::vector<float> values(9000, 0.0f);
      values[17] = values[5017] = 1.0f + 0x1p-23f;
      values[index] = FromBits(static_cast<uint32_t>(127 - below) << 23 | 1u);
      ExpectDefinition(values);
    }
  }
}

TEST(Squares, InfinityAndNanGiveNan) {
  for (const float special : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> values = OrdinaryFloats(9000, 1);
    values[8500] = special;
    SumOfSquares sum;
    HostOps().AddSquares(&sum, values.data(), 9000);
    EXPECT_TRUE(std::isnan(sum.Value()));
    ExpectDefinition(values);
  }
}

TEST(Squares, AFullWindowDoesNotOverflow) {
  ExpectDefinition(std::vector<float>(1 << 16, FromBits(0x7f7fffff)));  // the largest of all
  ExpectDefinition(std::vector<float>(1 << 16, FromBits(0x3fffffff)));
  std::vector<float> bottom(1 << 16, FromBits((127u - 20u) << 23 | 0x7fffffu));  // at the lower end of the window
  bottom[0] = 1.0f;
  ExpectDefinition(bottom);
}

/// Many equal squares just below and just above half a unit of 2^cut, whose rests all have one sign.
TEST(Squares, RestsOfOneSignDoNotOverflow) {
  for (int cut = 38; cut <= 47; ++cut) {
    const auto below = static_cast<uint32_t>(std::sqrt(0x1p47 + std::ldexp(0.5, cut)));
    for (const uint32_t mantissa : {below, below + 1}) {
      std::vector<float> values(1 << 14, FromBits((127u - 20u) << 23 | (mantissa & 0x7fffffu)));
      values[0] = 1.0f;
      ExpectDefinition(values);
    }
  }
}

}  // namespace
}  // namespace zerocts
