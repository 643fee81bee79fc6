#include "reference/numerics/counter_rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace zerocts {
namespace {

// From an independent computation with unbounded integers: every saved case and corpus depends on these.
TEST(CounterRng, KnownAnswers) {
  EXPECT_EQ(RandomBits(0, 0, 0), 0x238275bc38fcbe91u);
  EXPECT_EQ(RandomBits(1, 2, 3), 0xd0734750fde362b3u);
  EXPECT_EQ(RandomBits(0xffffffffffffffffu, 0x8000000000000000u, 0xab54a98ceb1f0ad2u), 0x0cc1ae425acfd738u);
  EXPECT_EQ(RandomUniform(0, 0, 0), -6061451 * 0x1p-23f);
  EXPECT_EQ(RandomUniform(1, 2, 3), 5272391 * 0x1p-23f);
  EXPECT_EQ(RandomBelow(1, 2, 3, 1000), 814u);
  EXPECT_EQ(Stream({}), 0u);
  EXPECT_EQ(Stream({1, 2, 3}), 0xd0734750fde362b3u);
  EXPECT_EQ(Stream({7}), 0x63cbe1e459320dd7u);
}

TEST(CounterRng, EveryArgumentCounts) {
  std::set<uint64_t> values;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    for (uint64_t stream = 0; stream < 10; ++stream) {
      for (uint64_t index = 0; index < 10; ++index) values.insert(RandomBits(seed, stream, index));
    }
  }
  EXPECT_EQ(values.size(), 1000u);
  EXPECT_NE(Stream({1, 2}), Stream({2, 1}));
  EXPECT_NE(Stream({0}), Stream({0, 0}));
}

TEST(CounterRng, UniformIsUniform) {
  constexpr int kCount = 1 << 20, kBuckets = 256;
  std::array<int, kBuckets> hits{};
  double sum = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const float x = RandomUniform(5, 6, i);
    ASSERT_TRUE(x >= -1.0f && x < 1.0f);
    ASSERT_EQ(x * 0x1p23f, std::floor(x * 0x1p23f));
    sum += x;
    ++hits[static_cast<int>((x + 1.0f) * (kBuckets / 2))];
  }
  double chi_square = 0.0;
  for (const int n : hits) chi_square += std::pow(n - kCount / kBuckets, 2) / (kCount / kBuckets);
  EXPECT_NEAR(sum / kCount, 0.0, 0.003);  // five standard deviations
  EXPECT_NEAR(chi_square, 255.0, 5 * 22.6);
}

TEST(CounterRng, BelowReachesEveryValueEquallyOften) {
  for (const uint64_t bound : {1u, 2u, 3u, 7u, 100u}) {
    std::vector<int> hits(bound);
    for (int i = 0; i < 100000; ++i) {
      const uint64_t x = RandomBelow(1, bound, i, bound);
      ASSERT_LT(x, bound);
      ++hits[x];
    }
    const double expected = 100000.0 / bound;
    for (const int n : hits) EXPECT_NEAR(n, expected, 5 * std::sqrt(expected)) << bound;
  }
}

}  // namespace
}  // namespace zerocts
