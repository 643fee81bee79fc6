#include "reference/numerics/lane_tree.hpp"

#include <algorithm>
#include <bit>

namespace zerocts {
namespace {

float BlockSum(const float* values, int64_t count, int64_t stride) {
  float lanes[kLanes] = {};
  for (int64_t begin = 0; begin < count; begin += kLanes) {
    const int64_t end = std::min<int64_t>(begin + kLanes, count);
    for (int64_t i = begin; i < end; ++i) lanes[i - begin] += values[i * stride];
  }
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

/// Adding neighbours level by level, an odd one out moving up, is the tree whose left half is the largest power of two
/// below the count.
float SumOfBlocks(const float* values, int64_t count, int64_t stride) {
  if (count <= kLaneBlock) return BlockSum(values, count, stride);
  const uint64_t blocks = (count + kLaneBlock - 1) / kLaneBlock;
  const int64_t left = static_cast<int64_t>(std::bit_ceil(blocks) / 2) * kLaneBlock;
  return SumOfBlocks(values, left, stride) + SumOfBlocks(values + left * stride, count - left, stride);
}

}  // namespace

float LaneTreeSum(const float* values, int64_t count, int64_t stride) { return SumOfBlocks(values, count, stride); }

}  // namespace zerocts
