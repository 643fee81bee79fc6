#include "reference/model/split_cross_entropy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/model/gradient_check.hpp"
#include "reference/model/softmax_cross_entropy.hpp"
#include "reference/model/test_tensors.hpp"
#include "reference/numerics/elementary.hpp"
#include "reference/numerics/lane_tree.hpp"

namespace zerocts {
namespace {

constexpr int64_t kSequences = 3, kPerSequence = 2, kLosses = kSequences * kPerSequence;
constexpr float kInf = std::numeric_limits<float>::infinity();

struct LossAndGradient {
  Floats loss, upstream;
  friend bool operator==(const LossAndGradient&, const LossAndGradient&) = default;
};

std::vector<int32_t> TargetsOf(int64_t V) {
  std::vector<int32_t> targets;
  for (int64_t r = 0; r < kLosses; ++r) targets.push_back(static_cast<int32_t>(RandomBelow(1, 2, r, V)));
  return targets;
}

LossAndGradient Evaluate(Unit& unit, Floats logits, int64_t V, float loss_scale = 1.0f) {
  const std::vector<int32_t> targets = TargetsOf(V);
  const MicroBatch batch{.inputs = nullptr, .targets = targets.data(), .size = kSequences, .loss_scale = loss_scale};
  const float* loss = unit.Forward(HostOps(), batch, nullptr, logits.data());
  const float* upstream = unit.Backward(HostOps(), batch, nullptr, nullptr, nullptr);
  return {Floats(loss, loss + kLosses), Floats(upstream, upstream + kLosses * V)};
}

LossAndGradient InSlices(int64_t slices, const Floats& logits, int64_t V, float loss_scale = 1.0f) {
  SplitCrossEntropy unit({kPerSequence, V, slices});
  return Evaluate(unit, logits, V, loss_scale);
}

/// The definition, row by row.
LossAndGradient ByDefinition(int64_t slices, const Floats& logits, int64_t V) {
  const std::vector<int32_t> targets = TargetsOf(V);
  LossAndGradient ran;
  for (int64_t r = 0; r < kLosses; ++r) {
    const Floats row(logits.begin() + r * V, logits.begin() + (r + 1) * V);
    float largest = -kInf, sum = 0.0f;
    for (const float x : row) largest = x > largest ? x : largest;
    Floats numerators;
    for (const float x : row) numerators.push_back(Exp(x - largest));
    bool first = true;
    for (const Slice& slice : SlicesOf(V, 1, slices)) {
      const IndexRange& v = slice.front();
      const float addend = LaneTreeSum(numerators.data() + v.begin, v.numel(), 1);
      sum = first ? addend : sum + addend;
      first = false;
    }
    ran.loss.push_back((largest + Log(sum)) - row[targets[r]]);
    for (int64_t v = 0; v < V; ++v) {
      ran.upstream.push_back((numerators[v] / sum - (v == targets[r] ? 1.0f : 0.0f)) / static_cast<float>(kLosses));
    }
  }
  return ran;
}

TEST(SplitCrossEntropy, AddsNumeratorsInSlicesOfTheVocabulary) {
  for (const int64_t V : {1, 7, 50, 1500}) {
    const Floats logits = RandomFloats(kLosses * V, 1, 4.0f);
    for (const int64_t slices : {1, 2, 3, 12}) EXPECT_EQ(InSlices(slices, logits, V), ByDefinition(slices, logits, V));
  }
}

TEST(SplitCrossEntropy, InOneSliceHasTheBitsOfTheWhole) {
  for (const int64_t V : {1, 7, 1500}) {
    const Floats logits = RandomFloats(kLosses * V, 1, 4.0f);
    SoftmaxCrossEntropy whole(kPerSequence, V);
    EXPECT_EQ(InSlices(1, logits, V, 8.0f), Evaluate(whole, logits, V, 8.0f)) << V;
  }
}

/// The control.
TEST(SplitCrossEntropy, InThreeSlicesHasOtherBits) {
  const Floats logits = RandomFloats(kLosses * 1500, 1, 4.0f);
  EXPECT_NE(InSlices(3, logits, 1500), InSlices(1, logits, 1500));
}

/// Ranks with parts of a table and of the logits, without a transport: the sums that they would make.
TEST(SplitVocabulary, AddsUpToTheWholeBitForBit) {
  constexpr int64_t V = 5, C = 3;
  Floats table = RandomFloats(V * C, 1);
  table[4] = -0.0f;  // would be lost where 0 is added
  const std::vector<int32_t> tokens = {1, 4, 0, 3, 2, 1};
  Floats whole(kLosses * C), sum(kLosses * C, -0.0f), part(kLosses * C);
  HostOps().Embed(whole.data(), table.data(), {0, V}, tokens.data(), kSequences, kPerSequence, C);
  for (const VocabRange own : {VocabRange{0, 2}, {2, 2}, {2, V}}) {
    HostOps().Embed(part.data(), table.data() + own.begin * C, own, tokens.data(), kSequences, kPerSequence, C);
    HostOps().Add(sum.data(), part.data(), kLosses * C);
  }
  for (int64_t i = 0; i < kLosses * C; ++i) {
    EXPECT_EQ(sum[i], whole[i]) << i;
    EXPECT_EQ(std::signbit(sum[i]), std::signbit(whole[i])) << i;
  }
}

TEST(LargestLogits, AreOfOwnLogitsWithoutNaN) {
  const Floats logits = {NAN, 2, 1, -kInf, NAN, NAN};
  const std::vector<int32_t> targets = {6, 2};
  Floats largest(2), target(2);
  HostOps().LargestLogits(largest.data(), target.data(), logits.data(), {5, 8}, targets.data(), 2);
  EXPECT_EQ(largest, (Floats{2, -kInf}));
  EXPECT_EQ(target, (Floats{2, -0.0f}));
  EXPECT_TRUE(std::signbit(target[1]));
  HostOps().LargestLogits(largest.data(), target.data(), logits.data(), {5, 5}, targets.data(), 2);
  EXPECT_EQ(largest, (Floats{-kInf, -kInf}));
}

}  // namespace
}  // namespace zerocts
