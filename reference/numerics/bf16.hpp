// bf16: the upper half of an fp32.
#pragma once
#include <cstdint>

#include "reference/numerics/bits.hpp"

namespace zerocts {

struct Bf16 {
  uint16_t bits = 0;
  friend bool operator==(Bf16, Bf16) = default;
};

ZEROCTS_INLINE float ToFloat(Bf16 x) { return FromBits(uint32_t{x.bits} << 16); }

/// Round to nearest, ties to even; subnormals are kept, overflow gives infinity, NaN gives 0x7fc0.
ZEROCTS_INLINE Bf16 ToBf16(float x) {
  if (x != x) return Bf16{kCanonicalNanBf16};
  const uint32_t bits = Bits(x);
  return Bf16{static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

/// x rounded to bf16, as a float.
ZEROCTS_INLINE float RoundToBf16(float x) { return ToFloat(ToBf16(x)); }

}  // namespace zerocts
