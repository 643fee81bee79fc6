// Sums inside a layer (bias gradients, softmax): a fixed tree of 64 lanes, the same for a loop, SIMD and two warps.
#pragma once
#include <cstdint>

namespace zerocts {

inline constexpr int kLanes = 64;
inline constexpr int kLaneBlock = 1024;  // 16 values per lane

/// Blocks of 1024 values; in a block lane l adds values l, l + 64, .. in order starting from +0, then lanes are halved
/// (l += l + 32, .., l += l + 1); block sums are added pairwise (a balanced binary tree, an odd one out moves up).
/// `stride` in elements. Sum of none: +0.
float LaneTreeSum(const float* values, int64_t count, int64_t stride = 1);

}  // namespace zerocts
