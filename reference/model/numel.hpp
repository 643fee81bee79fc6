// How many elements a tensor has.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace zerocts {

/// What one tensor, and all parameters of an experiment together, hold at most.
inline constexpr int64_t kLargestNumel = int64_t{1} << 40;

/// The product of the dimensions. Nothing where one is negative or a product of the first ones is above kLargestNumel,
/// so that no shape from outside overflows.
inline std::optional<int64_t> CheckedNumel(std::span<const int64_t> shape) {
  int64_t numel = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0 || (dimension > 0 && numel > kLargestNumel / dimension)) return std::nullopt;
    numel *= dimension;
  }
  return numel;
}

}  // namespace zerocts
