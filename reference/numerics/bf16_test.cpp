#include "reference/numerics/bf16.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace zerocts {
namespace {

TEST(Bf16, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const Bf16 x{static_cast<uint16_t>(bits)};
    const bool is_nan = (bits & 0x7fffu) > 0x7f80u;
    ASSERT_EQ(ToBf16(ToFloat(x)).bits, is_nan ? kCanonicalNanBf16 : bits) << std::hex << bits;
  }
}

TEST(Bf16, TiesGoToEven) {
  EXPECT_EQ(ToBf16(FromBits(0x3f808000u)).bits, 0x3f80u);  // halfway, lower neighbour even
  EXPECT_EQ(ToBf16(FromBits(0x3f818000u)).bits, 0x3f82u);  // halfway, upper neighbour even
  EXPECT_EQ(ToBf16(FromBits(0x3f808001u)).bits, 0x3f81u);
  EXPECT_EQ(ToBf16(FromBits(0x3f817fffu)).bits, 0x3f81u);
  EXPECT_EQ(ToBf16(FromBits(0xbf818000u)).bits, 0xbf82u);
}

TEST(Bf16, KeepsSubnormalsAndSignedZeros) {
  EXPECT_EQ(ToBf16(FromBits(0x00010000u)).bits, 0x0001u);
  EXPECT_EQ(ToBf16(FromBits(0x00008001u)).bits, 0x0001u);
  EXPECT_EQ(ToBf16(FromBits(0x00008000u)).bits, 0x0000u);
  EXPECT_EQ(ToBf16(FromBits(0x80000001u)).bits, 0x8000u);
}

TEST(Bf16, OverflowsToInfinity) {
  EXPECT_EQ(ToBf16(std::numeric_limits<float>::max()).bits, 0x7f80u);
  EXPECT_EQ(ToBf16(-std::numeric_limits<float>::max()).bits, 0xff80u);
  EXPECT_EQ(ToBf16(FromBits(0x7f7f7fffu)).bits, 0x7f7fu);  // just below halfway between the largest bf16 and 2^128
  EXPECT_EQ(ToBf16(std::numeric_limits<float>::infinity()).bits, 0x7f80u);
}

TEST(Bf16, EveryNanBecomesOneNan) {
  EXPECT_EQ(ToBf16(FromBits(0x7f800001u)).bits, kCanonicalNanBf16);  // cutting it would give infinity
  EXPECT_EQ(ToBf16(FromBits(0xffffffffu)).bits, kCanonicalNanBf16);  // carrying it would give zero
}

RC_GTEST_PROP(Bf16, IsTheNearestOfBothNeighbours, (uint32_t bits)) {
  const float x = FromBits(bits);
  RC_PRE(std::isfinite(x));
  const double below = ToFloat(Bf16{static_cast<uint16_t>(bits >> 16)});                       // towards zero
  const double step = std::ldexp(1.0, std::max(static_cast<int>(bits >> 23 & 255), 1) - 134);  // 8 bits of precision
  const double above = below + std::copysign(step, x);
  const double rounded = std::isinf(RoundToBf16(x)) ? std::copysign(0x1p128, x) : RoundToBf16(x);
  RC_ASSERT(rounded == below || rounded == above);
  RC_ASSERT(std::abs(x - rounded) <= 0.5 * step);
}

}  // namespace
}  // namespace zerocts
