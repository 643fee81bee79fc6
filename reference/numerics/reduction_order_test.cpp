#include "reference/numerics/reduction_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "reference/numerics/bf16.hpp"
#include "reference/numerics/floats_for_test.hpp"

namespace zerocts {
namespace {

using Leaves = std::vector<float>;

float Bf(float x) { return RoundToBf16(x); }

/// Leaves whose sum depends on the order: magnitudes over six powers of ten.
Leaves OrderSensitiveLeaves(int count, uint64_t seed) {
  Leaves leaves = OrdinaryFloats(count, seed);
  for (int g = 0; g < count; ++g) leaves[g] *= std::array{1e-3f, 1.0f, 1e3f}[RandomBelow(seed, 9, g, 3)];
  return leaves;
}

/// `expected` written out by hand equals the fold for many leaves, and the fold is not simply the plain left sum where
/// `is_own_order`.
template <typename Expected>
void ExpectOrder(const Fold& fold, int leaf_count, bool is_own_order, Expected expected) {
  int differs_from_plain_sum = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Leaves v = OrderSensitiveLeaves(leaf_count, seed);
    float plain = v[0];
    for (int g = 1; g < leaf_count; ++g) plain += v[g];
    const float got = Evaluate(fold, v);
    ASSERT_EQ(Bits(got), Bits(expected(v))) << ToString(fold);
    differs_from_plain_sum += got != plain;
  }
  EXPECT_EQ(differs_from_plain_sum > 0, is_own_order) << ToString(fold);
}

TEST(RankFold, AddsRanksInOrder) {
  ExpectOrder(RankFold(1, 1), 1, false, [](const Leaves& v) { return v[0]; });
  ExpectOrder(RankFold(3, 1), 3, false, [](const Leaves& v) { return (v[0] + v[1]) + v[2]; });
  ExpectOrder(RankFold(4, 1), 4, false, [](const Leaves& v) { return ((v[0] + v[1]) + v[2]) + v[3]; });
  ExpectOrder(RankFold(5, 1), 5, false, [](const Leaves& v) { return (((v[0] + v[1]) + v[2]) + v[3]) + v[4]; });
}

TEST(RankFold, AddsTheMicroBatchesOfARankFirst) {
  ExpectOrder(RankFold(1, 3), 3, false, [](const Leaves& v) { return (v[0] + v[1]) + v[2]; });
  ExpectOrder(RankFold(3, 2), 6, true, [](const Leaves& v) { return ((v[0] + v[1]) + (v[2] + v[3])) + (v[4] + v[5]); });
  ExpectOrder(RankFold(4, 3), 12, true, [](const Leaves& v) {
    const float rank0 = (v[0] + v[1]) + v[2], rank1 = (v[3] + v[4]) + v[5], rank2 = (v[6] + v[7]) + v[8],
                rank3 = (v[9] + v[10]) + v[11];
    return ((rank0 + rank1) + rank2) + rank3;
  });
  ExpectOrder(RankFold(5, 2), 10, true, [](const Leaves& v) {
    return ((((v[0] + v[1]) + (v[2] + v[3])) + (v[4] + v[5])) + (v[6] + v[7])) + (v[8] + v[9]);
  });
}

TEST(RingFold, StartsBehindTheOwner) {
  ExpectOrder(RingFold(3, 1, 0), 3, true, [](const Leaves& v) { return (v[1] + v[2]) + v[0]; });
  ExpectOrder(RingFold(3, 1, 1), 3, true, [](const Leaves& v) { return (v[2] + v[0]) + v[1]; });
  ExpectOrder(RingFold(3, 1, 2), 3, false, [](const Leaves& v) { return (v[0] + v[1]) + v[2]; });
  ExpectOrder(RingFold(4, 1, 1), 4, true, [](const Leaves& v) { return ((v[2] + v[3]) + v[0]) + v[1]; });
  ExpectOrder(RingFold(5, 1, 3), 5, true, [](const Leaves& v) { return (((v[4] + v[0]) + v[1]) + v[2]) + v[3]; });
  ExpectOrder(RingFold(3, 2, 0), 6, true,
              [](const Leaves& v) { return ((v[2] + v[3]) + (v[4] + v[5])) + (v[0] + v[1]); });
  ExpectOrder(RingFold(3, 3, 1), 9, true, [](const Leaves& v) {
    return (((v[6] + v[7]) + v[8]) + ((v[0] + v[1]) + v[2])) + ((v[3] + v[4]) + v[5]);
  });
}

TEST(RingFold, RoundsToTheWireTypeAtEveryHop) {
  ExpectOrder(RingFold(3, 1, 0, Rounding::kBf16), 3, true,
              [](const Leaves& v) { return Bf(Bf(Bf(v[1]) + Bf(v[2])) + Bf(v[0])); });
  ExpectOrder(RingFold(4, 1, 2, Rounding::kBf16), 4, true,
              [](const Leaves& v) { return Bf(Bf(Bf(Bf(v[3]) + Bf(v[0])) + Bf(v[1])) + Bf(v[2])); });
  ExpectOrder(RingFold(5, 2, 4, Rounding::kBf16), 10, true, [](const Leaves& v) {
    const auto rank = [&](int r) { return Bf(v[2 * r] + v[2 * r + 1]); };  // a rank's micro-batches are added in fp32
    return Bf(Bf(Bf(Bf(rank(0) + rank(1)) + rank(2)) + rank(3)) + rank(4));
  });
}

TEST(TreeFold, SplitsAtTheLargestPowerOfTwo) {
  ExpectOrder(TreeFold(3, 1), 3, false, [](const Leaves& v) { return (v[0] + v[1]) + v[2]; });
  ExpectOrder(TreeFold(4, 1), 4, true, [](const Leaves& v) { return (v[0] + v[1]) + (v[2] + v[3]); });
  ExpectOrder(TreeFold(5, 1), 5, true, [](const Leaves& v) { return ((v[0] + v[1]) + (v[2] + v[3])) + v[4]; });
  ExpectOrder(TreeFold(3, 2), 6, true, [](const Leaves& v) { return ((v[0] + v[1]) + (v[2] + v[3])) + (v[4] + v[5]); });
  ExpectOrder(TreeFold(2, 3), 6, true, [](const Leaves& v) { return ((v[0] + v[1]) + v[2]) + ((v[3] + v[4]) + v[5]); });
}

TEST(TreeFold, IsTheSameForEveryWorldSizeWithPowerOfTwoMicroBatches) {
  for (const int world_size : {1, 2, 4, 8})
    EXPECT_EQ(TreeFold(world_size, 8 / world_size), TreeFold(8, 1)) << world_size;
  for (const int micro_batches : {1, 2, 4})
    EXPECT_EQ(TreeFold(12 / micro_batches, micro_batches), TreeFold(12, 1)) << micro_batches;
}

TEST(Fold, EveryLeafIsUsedOnce) {
  for (int world_size = 1; world_size <= 9; ++world_size) {
    for (int micro_batches = 1; micro_batches <= 5; ++micro_batches) {
      const int count = world_size * micro_batches;
      Leaves powers;  // sums of distinct powers of two are exact and name their terms
      for (int g = 0; g < count; ++g) powers.push_back(g < 24 ? static_cast<float>(1 << g) : 0.0f);
      const float all = static_cast<float>((int64_t{1} << std::min(count, 24)) - 1);
      EXPECT_EQ(Evaluate(RankFold(world_size, micro_batches), powers), all);
      EXPECT_EQ(Evaluate(RingFold(world_size, micro_batches, world_size / 2), powers), all);
      EXPECT_EQ(Evaluate(TreeFold(world_size, micro_batches), powers), all);
    }
  }
}

TEST(Fold, PrintsOneParenthesisPerAddition) {
  EXPECT_EQ(ToString(RankFold(1, 1)), "0");
  EXPECT_EQ(ToString(RankFold(3, 1)), "((0+1)+2)");
  EXPECT_EQ(ToString(RankFold(2, 2)), "((0+1)+(2+3))");
  EXPECT_EQ(ToString(RingFold(3, 1, 0)), "((1+2)+0)");
  EXPECT_EQ(ToString(RingFold(2, 1, 0, Rounding::kBf16)), "(1~bf16+0~bf16)~bf16");
}

TEST(Fold, DividesOnTheWayToTheMean) {
  const Leaves values = {1.7f, -3.1f, 0.3f};
  const float reciprocal = 1.0f / 3.0f;
  std::vector<Fold> shares, products;
  for (int g = 0; g < 3; ++g) {
    shares.push_back(Fold::Quotient(Fold::Leaf(g), {.by = 3}));
    products.push_back(Fold::Quotient(Fold::Leaf(g), {.by = 3, .how = Divide::kReciprocal}));
  }
  const Fold by_shares = Fold::Sum(shares), by_products = Fold::Sum(products);
  EXPECT_EQ(Evaluate(by_shares, values), (1.7f / 3.0f + -3.1f / 3.0f) + 0.3f / 3.0f);
  EXPECT_EQ(Evaluate(by_products, values), (1.7f * reciprocal + -3.1f * reciprocal) + 0.3f * reciprocal);
  EXPECT_EQ(ToString(by_shares), "((0/3+1/3)+2/3)");
  EXPECT_EQ(ToString(Fold::Quotient(by_products, {.by = 2})), "((0*(1/3)+1*(1/3))+2*(1/3))/2");
  EXPECT_EQ(DividedBy(Fold::Quotient(by_products, {.by = 2})), 6);
  EXPECT_EQ(DivisorOfMean(by_shares, 6), 2.0f);
  EXPECT_EQ(DivisorOfMean(RankFold(3, 2), 6), 6.0f);
  Fold kept = Fold::Quotient(Fold::Leaf(0), {.by = 3});
  kept.rounding = Rounding::kBf16;
  EXPECT_EQ(Evaluate(kept, Leaves{2.0f}), RoundToBf16(2.0f / 3.0f));
  EXPECT_EQ(ToString(kept), "0~bf16/3~bf16");
  EXPECT_THROW(DividedBy(Fold::Sum({shares[0], Fold::Leaf(1)})), std::invalid_argument);
}

TEST(Fold, MultipliesAddendsAsItAddsThem) {
  const Leaves values = {1.7f, -3.1f, 0.3f};
  const float reciprocal = 1.0f / 3.0f;
  Fold ring = RingFold(3, 1, 0);
  ring.division = {.by = 3, .how = Divide::kFusedReciprocal};
  const float sum = std::fma(1.7f, reciprocal, std::fma(0.3f, reciprocal, -3.1f * reciprocal));
  EXPECT_EQ(Evaluate(ring, values), sum);
  EXPECT_NE(sum, (-3.1f * reciprocal + 0.3f * reciprocal) + 1.7f * reciprocal);
  EXPECT_EQ(ToString(ring), "fma(0, 1/3, fma(2, 1/3, 1*(1/3)))");
  EXPECT_EQ(DividedBy(ring), 3);
  EXPECT_EQ(DivisorOfMean(ring, 6), 2.0f);
  // The products of addends that cancel each other keep what was rounded of a third.
  ring = RankFold(3, 1);
  ring.division = {.by = 3, .how = Divide::kFusedReciprocal};
  EXPECT_EQ(Evaluate(ring, Leaves{9.0f, -12.0f, 0.0f}), -1.00000012f);
  EXPECT_EQ(Evaluate(ring, Leaves{0.0f, -12.0f, 0.0f}), -4.0f);
}

std::string Rank(const FoldShape& shape) { return ToString(RankFold(shape)); }

TEST(OfPresentLeaves, LeavesOutWhatIsNotThere) {
  const auto of = [](const Fold& fold, std::set<int> there) {
    const auto present = OfPresentLeaves(fold, [&](int leaf) { return there.contains(leaf); });
    return present ? ToString(*present) : "none";
  };
  EXPECT_EQ(of(RankFold(4, 1), {1, 3}), "(1+3)");
  EXPECT_EQ(of(RankFold(4, 2), {2, 3, 6, 7}), "((2+3)+(6+7))");
  EXPECT_EQ(of(TreeFold(6, 1), {0, 2, 4}), "((0+2)+4)");
  EXPECT_EQ(of(RankFold(4, 2), {4, 5}), "(4+5)");  // of one rank
  EXPECT_EQ(of(RankFold(4, 1), {2}), "2");
  EXPECT_EQ(of(RankFold(4, 1), {}), "none");
  EXPECT_EQ(of(RingFold(3, 1, 0, Rounding::kBf16), {0}), "0~bf16~bf16");
  EXPECT_EQ(of(Fold::Quotient(RankFold(3, 1), {3}), {1}), "1/3");
  const float minus_zero[] = {0.0f, -0.0f};  // to which an absent 0 is not added
  EXPECT_TRUE(std::signbit(Evaluate(*OfPresentLeaves(RankFold(2, 1), [](int g) { return g == 1; }), minus_zero)));
}

TEST(FoldShape, OneGroupSyncedLastIsThePlainRule) {
  for (const int W : {1, 2, 3, 5}) {
    for (const int K : {1, 2, 3}) {
      EXPECT_EQ(RankFold(FoldShape{W, K}), RankFold(W, K));
      EXPECT_EQ(TreeFold(FoldShape{W, K}), TreeFold(W, K));
      for (int owner = 0; owner < W; ++owner) EXPECT_EQ(RingFold(FoldShape{W, K}, owner), RingFold(W, K, owner));
    }
  }
}

TEST(FoldShape, SyncEachAddsRanksAfterEveryMicroBatch) {
  using enum GradientSync;
  EXPECT_EQ(Rank({.world_size = 3, .micro_batches = 2, .sync = kEveryMicroBatch}), "(((0+2)+4)+((1+3)+5))");
  EXPECT_EQ(Rank({.world_size = 1, .micro_batches = 3, .sync = kEveryMicroBatch}), "((0+1)+2)");
  EXPECT_EQ(Rank({.world_size = 3, .micro_batches = 1, .sync = kEveryMicroBatch}), "((0+1)+2)");
  EXPECT_EQ(ToString(RingFold({.world_size = 3, .micro_batches = 2, .sync = kEveryMicroBatch}, 0)),
            "(((2+4)+0)+((3+5)+1))");
  EXPECT_EQ(ToString(TreeFold({.world_size = 5, .micro_batches = 3, .sync = kEveryMicroBatch})),
            "(((((0+3)+(6+9))+12)+(((1+4)+(7+10))+13))+(((2+5)+(8+11))+14))");
}

TEST(FoldShape, ReplicasAddTheirGroupsFirst) {
  EXPECT_EQ(Rank({.world_size = 6, .replicas = 2}), "(((0+1)+2)+((3+4)+5))");
  EXPECT_EQ(Rank({.world_size = 6, .replicas = 3}), "(((0+1)+(2+3))+(4+5))");
  EXPECT_EQ(Rank({.world_size = 3, .replicas = 3}), "((0+1)+2)");
  EXPECT_EQ(ToString(RingFold({.world_size = 6, .replicas = 2}, 0)), "(((1+2)+0)+((4+5)+3))");
  EXPECT_EQ(ToString(RingFold({.world_size = 6, .replicas = 2}, 1)), "(((2+0)+1)+((5+3)+4))");
  EXPECT_EQ(ToString(TreeFold({.world_size = 12, .replicas = 4})), "((((0+1)+2)+((3+4)+5))+(((6+7)+8)+((9+10)+11)))");
  EXPECT_EQ(ToString(RankFold({.world_size = 12, .replicas = 4})), "(((((0+1)+2)+((3+4)+5))+((6+7)+8))+((9+10)+11))");
  EXPECT_EQ(Rank({.world_size = 6, .micro_batches = 2, .replicas = 2, .sync = GradientSync::kEveryMicroBatch}),
            "((((0+2)+4)+((6+8)+10))+(((1+3)+5)+((7+9)+11)))");
}

TEST(FoldShape, EveryLeafIsUsedOnce) {
  for (const int W : {1, 2, 3, 4, 6}) {
    for (const int K : {1, 2, 3}) {
      const Leaves powers = [&] {
        Leaves leaves;
        for (int g = 0; g < W * K; ++g) leaves.push_back(static_cast<float>(1 << g));
        return leaves;
      }();
      const float all = static_cast<float>((1 << (W * K)) - 1);
      for (int replicas = 1; replicas <= W; ++replicas) {
        if (W % replicas) continue;
        for (const GradientSync sync : {GradientSync::kLastMicroBatch, GradientSync::kEveryMicroBatch}) {
          const FoldShape shape{W, K, replicas, sync};
          EXPECT_EQ(Evaluate(RankFold(shape), powers), all);
          EXPECT_EQ(Evaluate(TreeFold(shape), powers), all);
          EXPECT_EQ(Evaluate(RingFold(shape, shape.group_size() - 1), powers), all);
        }
      }
    }
  }
}

TEST(SumsKeptIn, WithSyncEachKeepsRanksInOneTypeAndMicroBatchesInTheOther) {
  using enum Rounding;
  const auto kept = [](Rounding accumulation, Rounding reduction, const FoldShape& shape) {
    return ToString(SumsKeptIn(accumulation, reduction, RankFold(shape), shape.micro_batches, shape.sync));
  };
  const FoldShape shape{.world_size = 2, .micro_batches = 2, .sync = GradientSync::kEveryMicroBatch};
  EXPECT_EQ(kept(kFp32, kFp32, shape), "((0+2)+(1+3))");
  EXPECT_EQ(kept(kFp32, kBf16, shape), "((0~bf16~bf16+2~bf16~bf16)~bf16+(1~bf16~bf16+3~bf16~bf16)~bf16)");
  EXPECT_EQ(kept(kBf16, kFp32, shape), "((0+2)~bf16+(1+3)~bf16)~bf16~bf16");
  EXPECT_EQ(kept(kBf16, kFp32, {.world_size = 2, .micro_batches = 1, .sync = GradientSync::kEveryMicroBatch}),
            "(0+1)~bf16");
  EXPECT_EQ(kept(kFp32, kBf16, {.world_size = 1, .micro_batches = 2, .sync = GradientSync::kEveryMicroBatch}),
            "(0~bf16+1~bf16)");
}

TEST(SumsKeptIn, RoundsASumsBeginningItsAddendsAndItsAdditions) {
  using enum Rounding;
  const Fold fold = RankFold(2, 2);
  EXPECT_EQ(ToString(fold), "((0+1)+(2+3))");
  EXPECT_EQ(SumsKeptIn(kFp32, kFp32, fold, 2), fold);
  EXPECT_EQ(ToString(SumsKeptIn(kBf16, kFp32, fold, 2)),
            "((0~bf16~bf16+1~bf16~bf16)~bf16+(2~bf16~bf16+3~bf16~bf16)~bf16)");
  EXPECT_EQ(ToString(SumsKeptIn(kFp32, kBf16, fold, 2)), "((0+1)~bf16+(2+3)~bf16)~bf16~bf16");
  EXPECT_EQ(ToString(SumsKeptIn(kBf16, kFp32, RankFold(2, 1), 1)), "(0~bf16+1~bf16)");
  EXPECT_EQ(ToString(SumsKeptIn(kFp32, kBf16, RankFold(1, 2), 2)), "(0+1)~bf16");
}

// 256 + 1 is a tie in bf16, whose spacing is 2 there: to even, 256. In fp32 257 + 1 is 258.
TEST(SumsKeptIn, LosesInBf16WhatFp32Keeps) {
  using enum Rounding;
  const std::vector<float> leaves = {256.0f, 1.0f, 1.0f};
  EXPECT_EQ(Evaluate(SumsKeptIn(kFp32, kFp32, RankFold(1, 3), 3), leaves), 258.0f);
  EXPECT_EQ(Evaluate(SumsKeptIn(kBf16, kFp32, RankFold(1, 3), 3), leaves), 256.0f);
  EXPECT_EQ(Evaluate(SumsKeptIn(kFp32, kBf16, RankFold(3, 1), 1), leaves), 256.0f);
  EXPECT_EQ(Evaluate(SumsKeptIn(kFp32, kBf16, RankFold(1, 3), 3), {leaves}), 258.0f);
  EXPECT_EQ(Evaluate(SumsKeptIn(kFp32, kBf16, RankFold(1, 1), 1), std::vector<float>{257.0f}), 256.0f);
}

}  // namespace
}  // namespace zerocts
