#include "reference/numerics/bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace zerocts {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Bits, EveryNanIsOneNan) {
  EXPECT_EQ(CanonicalBits(FromBits(0xffc00000u)), kCanonicalNan);
  EXPECT_EQ(CanonicalBits(FromBits(0x7fffffffu)), kCanonicalNan);
  EXPECT_EQ(CanonicalBits(FromBits(0x7f800001u)), kCanonicalNan);
  EXPECT_EQ(CanonicalBits(-0.0f), 0x80000000u);
  EXPECT_EQ(CanonicalBits(kInfinity), 0x7f800000u);
}

TEST(UlpDistance, CountsFloatsBetween) {
  EXPECT_EQ(UlpDistance(1.0f, 1.0f), 0u);
  EXPECT_EQ(UlpDistance(1.0f, std::nextafter(1.0f, 2.0f)), 1u);
  EXPECT_EQ(UlpDistance(2.0f, std::nextafter(2.0f, 1.0f)), 1u);
  EXPECT_EQ(UlpDistance(-1.0f, std::nextafter(-1.0f, 0.0f)), 1u);
  EXPECT_EQ(UlpDistance(-0.0f, 0.0f), 1u);
  EXPECT_EQ(UlpDistance(FromBits(0x80000001u), FromBits(0x00000001u)), 3u);  // the subnormals next to -0 and +0
  EXPECT_EQ(UlpDistance(1.0f, 2.0f), uint64_t{1} << 23);
  EXPECT_EQ(UlpDistance(-kInfinity, kInfinity), 2 * uint64_t{0x7f800000} + 1);
}

TEST(UlpDistance, NanIsFarFromEverythingButNan) {
  const float nan = FromBits(kCanonicalNan);
  EXPECT_EQ(UlpDistance(nan, 0.0f), UINT64_MAX);
  EXPECT_EQ(UlpDistance(kInfinity, nan), UINT64_MAX);
  EXPECT_EQ(UlpDistance(nan, FromBits(0xffc00001u)), 0u);
}

}  // namespace
}  // namespace zerocts
