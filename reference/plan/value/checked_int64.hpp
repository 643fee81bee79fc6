// Sizes that come from a request and may be nonsense: refused instead of wrapped around.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace zerocts {

/// a, b >= 0. Throws std::invalid_argument when a * b is beyond 2^63 - 1.
inline int64_t CheckedProduct(int64_t a, int64_t b) {
  if (b != 0 && a > std::numeric_limits<int64_t>::max() / b) {
    throw std::invalid_argument(fmt::format("{} times {}: expected a size of at most 2^63 - 1", a, b));
  }
  return a * b;
}

inline int64_t CheckedSum(int64_t a, int64_t b) {
  if (a > std::numeric_limits<int64_t>::max() - b) {
    throw std::invalid_argument(fmt::format("{} and {} in all: expected a size of at most 2^63 - 1", a, b));
  }
  return a + b;
}

/// total >= 0, parts >= 1. Nothing to check: no total is too large.
inline int64_t CeilDivided(int64_t total, int64_t parts) { return total / parts + (total % parts != 0); }

/// The least multiple of `step` (>= 1) that is not below `numel`.
inline int64_t RoundedUp(int64_t numel, int64_t step) { return CheckedProduct(CeilDivided(numel, step), step); }

}  // namespace zerocts
