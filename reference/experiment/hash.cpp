#include "reference/experiment/hash.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <vector>

#include "reference/numerics/bits.hpp"

namespace zerocts {
namespace {

static_assert(std::endian::native == std::endian::little,
              "hashes are taken over little-endian bytes as they lie in memory");

bool IsNan(float x) { return x != x; }
bool IsNan(Bf16 x) { return IsNan(ToFloat(x)); }

float CanonicalNanOf(float) { return FromBits(kCanonicalNan); }
Bf16 CanonicalNanOf(Bf16) { return Bf16{kCanonicalNanBf16}; }

template <typename Value>
std::string HashWithCanonicalNan(std::span<const Value> values) {
  const auto is_nan = [](Value x) { return IsNan(x); };
  if (std::none_of(values.begin(), values.end(), is_nan)) return HashOfBytes(values.data(), values.size_bytes());
  std::vector<Value> canonical(values.begin(), values.end());
  std::replace_if(canonical.begin(), canonical.end(), is_nan, CanonicalNanOf(Value{}));
  return HashOfBytes(canonical.data(), values.size_bytes());
}

}  // namespace

std::string HashOf(std::span<const float> values) { return HashWithCanonicalNan(values); }
std::string HashOf(std::span<const Bf16> values) { return HashWithCanonicalNan(values); }

std::string HashOfBytes(const void* data, size_t bytes) {
  const XXH128_hash_t hash = XXH3_128bits(data, bytes);
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

}  // namespace zerocts
