#include "reference/numerics/magnitudes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

constexpr int kNotFinite = 255;
constexpr int kUnitExponent = -149;  // of the smallest subnormal
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

void SumOfMagnitudes::Add(const float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = Bits(values[i]) & 0x7fffffffu;
    const uint32_t exponent = bits >> 23;
    const uint32_t mantissa = (bits & 0x7fffffu) | (uint32_t{exponent != 0} << 23);
    bins[exponent] += exponent == kNotFinite ? 1 : mantissa;
    largest_bits = std::max(largest_bits, bits);
  }
}

void SumOfMagnitudes::Merge(const SumOfMagnitudes& other) {
  for (size_t exponent = 0; exponent < bins.size(); ++exponent) bins[exponent] += other.bins[exponent];
  largest_bits = std::max(largest_bits, other.largest_bits);
}

float SumOfMagnitudes::Value() const {
  if (!finite()) return kNan;
  // A wide integer in units of the smallest subnormal: the bin of exponent 254 stands 253 places up and has 64 bits.
  std::array<uint64_t, 6> words{};
  for (int exponent = 0; exponent < kNotFinite; ++exponent) {
    const int shift = std::max(exponent, 1) - 1;  // subnormals have the unit of exponent 1
    unsigned __int128 addend = static_cast<unsigned __int128>(bins[exponent]) << (shift % 64);
    for (size_t word = static_cast<size_t>(shift) / 64; addend != 0; ++word) {
      addend += words[word];
      words[word] = static_cast<uint64_t>(addend);
      addend >>= 64;
    }
  }
  int top = static_cast<int>(words.size()) - 1;
  while (top > 0 && words[top] == 0) --top;
  if (words[top] == 0) return 0.0f;
  const int zeros = std::countl_zero(words[top]);
  uint64_t leading = words[top] << zeros;  // the 64 leading bits; of what is below, only whether it is zero counts
  bool rest = false;
  if (top > 0) {
    if (zeros > 0) leading |= words[top - 1] >> (64 - zeros);
    rest = (words[top - 1] << zeros) != 0;
    for (int word = 0; word < top - 1; ++word) rest |= words[word] != 0;
  }
  // Rounds once: a float of the 64 bits, then a power of two. Fewer than 24 bits are exact, so subnormals are too.
  return std::ldexp(static_cast<float>(leading | uint64_t{rest}), 64 * top - zeros + kUnitExponent);
}

float SumOfMagnitudes::Largest() const { return finite() ? FromBits(largest_bits) : kNan; }

}  // namespace zerocts
