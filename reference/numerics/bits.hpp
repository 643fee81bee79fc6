// Bits of a float, and the one NaN that counts.
#pragma once
#include <cstdint>

#include "reference/numerics/inline.hpp"

namespace zerocts {

inline constexpr uint32_t kCanonicalNan = 0x7fc00000u;  // x86 makes ffc00000, CUDA 7fffffff
inline constexpr uint16_t kCanonicalNanBf16 = 0x7fc0u;

ZEROCTS_INLINE uint32_t Bits(float x) { return __builtin_bit_cast(uint32_t, x); }
ZEROCTS_INLINE float FromBits(uint32_t bits) { return __builtin_bit_cast(float, bits); }
ZEROCTS_INLINE uint64_t DoubleBits(double x) { return __builtin_bit_cast(uint64_t, x); }
ZEROCTS_INLINE double DoubleFromBits(uint64_t bits) { return __builtin_bit_cast(double, bits); }

/// The bits by which values are compared and hashed: every NaN is one NaN, -0 differs from +0.
ZEROCTS_INLINE uint32_t CanonicalBits(float x) { return x != x ? kCanonicalNan : Bits(x); }

/// Distance in units in the last place: the number of floats between a and b (-0 and +0 are neighbours of distance 1).
/// NaN against anything but NaN is UINT64_MAX.
uint64_t UlpDistance(float a, float b);

}  // namespace zerocts
