#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

/// Absorbs one word: the finalizer of SplitMix64 (Steele, Lea, Flood 2014) with its increment, which keeps 0 from being
/// a fixed point.
uint64_t Absorb(uint64_t state, uint64_t word) {
  uint64_t x = (state ^ word) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t RandomBits(uint64_t seed, uint64_t stream, uint64_t index) {
  return Absorb(Absorb(Absorb(0, seed), stream), index);
}

float RandomUniform(uint64_t seed, uint64_t stream, uint64_t index) {
  const auto top24 = static_cast<int32_t>(RandomBits(seed, stream, index) >> 40);
  return static_cast<float>(top24 - (1 << 23)) * 0x1p-23f;
}

uint64_t RandomBelow(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(RandomBits(seed, stream, index)) * bound) >> 64);
}

uint64_t Stream(std::initializer_list<uint64_t> parts) {
  uint64_t state = 0;
  for (const uint64_t part : parts) state = Absorb(state, part);
  return state;
}

}  // namespace zerocts
