#include "reference/numerics/lane_tree.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "reference/numerics/floats_for_test.hpp"

namespace zerocts {
namespace {

/// The definition in the header, walked level by level.
float Walk(const std::vector<float>& values) {
  std::vector<float> level;
  for (size_t block = 0; block < values.size(); block += 1024) {
    std::vector<float> lanes(64, 0.0f);
    for (size_t i = block; i < std::min(block + 1024, values.size()); ++i) lanes[i % 64] += values[i];
    for (const int width : {32, 16, 8, 4, 2, 1}) {
      for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
    }
    level.push_back(lanes[0]);
  }
  while (level.size() > 1) {
    std::vector<float> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(level[i] + level[i + 1]);
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = next;
  }
  return level.empty() ? 0.0f : level[0];
}

TEST(LaneTree, IsTheWrittenOutWalk) {
  int differs_from_plain_sum = 0;
  for (const int count : {0, 1, 2, 31, 63, 64, 65, 127, 1000, 1023, 1024, 1025, 2048, 3000, 3072, 5 * 1024,
                          6 * 1024 + 17, 7 * 1024, 11 * 1024 + 1}) {
    const std::vector<float> values = OrdinaryFloats(count, count);
    EXPECT_EQ(Bits(LaneTreeSum(values.data(), count)), Bits(Walk(values))) << count;
    differs_from_plain_sum += LaneTreeSum(values.data(), count) != std::accumulate(values.begin(), values.end(), 0.0f);
  }
  EXPECT_GE(differs_from_plain_sum, 5);  // else these values could not tell one order from another
}

TEST(LaneTree, TakesEveryStrideThElement) {
  for (const int stride : {2, 3, 7}) {
    const int count = 2500;
    const std::vector<float> all = OrdinaryFloats(count * stride, stride);
    std::vector<float> column;
    for (int i = 0; i < count; ++i) column.push_back(all[i * stride]);
    EXPECT_EQ(Bits(LaneTreeSum(all.data(), count, stride)), Bits(Walk(column))) << stride;
  }
}

TEST(LaneTree, SumOfNoneAndOfNegativeZerosIsPositiveZero) {
  const std::vector<float> zeros(3, -0.0f);
  EXPECT_EQ(Bits(LaneTreeSum(nullptr, 0)), 0u);
  EXPECT_EQ(Bits(LaneTreeSum(zeros.data(), 3)), 0u);
}

}  // namespace
}  // namespace zerocts
