// Inputs for tests: ordinary values, and every kind of float there is.
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/numerics/bits.hpp"
#include "reference/numerics/counter_rng.hpp"

namespace zerocts {

/// Uniform in [-1, 1).
inline std::vector<float> OrdinaryFloats(int64_t count, uint64_t seed) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) values[i] = RandomUniform(seed, 0, i);
  return values;
}

/// Zeros of both signs, subnormals, the ends of the range, infinities, NaN.
inline std::vector<float> SpecialFloats() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values;
  for (const float x :
       {0.0f, Limits::denorm_min(), FromBits(0x007fffff), Limits::min(), 1.0f, Limits::max(), Limits::infinity()}) {
    values.push_back(x);
    values.push_back(-x);
  }
  values.push_back(Limits::quiet_NaN());
  return values;
}

/// Any finite bit pattern: exponents over the whole range, subnormals included.
inline std::vector<float> FiniteFloats(int64_t count, uint64_t seed) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = RandomBits(seed, 1, i);
    values[i] = FromBits(static_cast<uint32_t>((bits >> 32) % 0x7f800000u) | static_cast<uint32_t>(bits & 0x80000000u));
  }
  return values;
}

/// A third ordinary, a third of any exponent, a third special.
inline std::vector<float> WildFloats(int64_t count, uint64_t seed) {
  std::vector<float> values = OrdinaryFloats(count, seed);
  const std::vector<float> finite = FiniteFloats(count, seed), special = SpecialFloats();
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t kind = RandomBelow(seed, 2, i, 3);
    if (kind == 1) values[i] = finite[i];
    if (kind == 2) values[i] = special[RandomBelow(seed, 3, i, special.size())];
  }
  return values;
}

inline std::vector<uint32_t> CanonicalBitsOf(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float x : values) bits.push_back(CanonicalBits(x));
  return bits;
}

}  // namespace zerocts
