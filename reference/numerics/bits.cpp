#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

/// Position of x on the line of all floats from -inf to +inf.
uint32_t OrderOf(float x) {
  const uint32_t bits = Bits(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

}  // namespace

uint64_t UlpDistance(float a, float b) {
  const bool a_is_nan = a != a, b_is_nan = b != b;
  if (a_is_nan || b_is_nan) return a_is_nan && b_is_nan ? 0 : UINT64_MAX;
  const uint32_t i = OrderOf(a), j = OrderOf(b);
  return i < j ? j - i : i - j;
}

}  // namespace zerocts
