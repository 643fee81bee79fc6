// FoldLeaves element by element against Evaluate.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/numerics/floats_for_test.hpp"
#include "reference/ops/host_ops.hpp"

namespace zerocts {
namespace {

std::vector<Fold> Folds() {
  std::vector<Fold> folds = {Fold::Leaf(2), Fold::Sum({Fold::Leaf(1)}, Rounding::kBf16)};
  for (const Divide how : {Divide::kQuotient, Divide::kReciprocal, Divide::kFusedReciprocal}) {
    const Division by_three{3, how};
    folds.push_back(Fold::Sum({Fold::Quotient(Fold::Leaf(4), by_three), Fold::Quotient(Fold::Leaf(1), by_three)}));
    folds.push_back(Fold::Quotient(RankFold(3, 1), by_three));
    folds.push_back({-1, Rounding::kBf16, {Fold::Leaf(3)}, by_three});
    folds.push_back({-1, Rounding::kFp32, {Fold::Leaf(7), RankFold(3, 1), Fold::Leaf(9)}, by_three});
  }
  for (const int micro_batches : {1, 2, 3}) {
    folds.push_back(RankFold(3, micro_batches));
    folds.push_back(TreeFold(5, micro_batches));
    for (const Rounding wire : {Rounding::kFp32, Rounding::kBf16}) folds.push_back(RingFold(3, micro_batches, 1, wire));
  }
  return folds;
}

constexpr int kLeafCount = 15;

std::vector<std::vector<float>> Leaves(int64_t numel) {
  std::vector<std::vector<float>> leaves;
  for (int g = 0; g < kLeafCount; ++g) leaves.push_back(g % 2 == 0 ? OrdinaryFloats(numel, g) : WildFloats(numel, g));
  return leaves;
}

std::vector<uint32_t> Expected(const Fold& fold, const std::vector<std::vector<float>>& leaves, float divisor,
                               int64_t numel) {
  std::vector<uint32_t> bits;
  for (int64_t i = 0; i < numel; ++i) {
    std::vector<float> element;
    for (const auto& leaf : leaves) element.push_back(leaf[i]);
    bits.push_back(CanonicalBits(Evaluate(fold, element) / divisor));
  }
  return bits;
}

std::vector<const float*> Pointers(const std::vector<std::vector<float>>& leaves) {
  std::vector<const float*> pointers;
  for (const auto& leaf : leaves) pointers.push_back(leaf.data());
  return pointers;
}

TEST(FoldLeaves, EvaluatesTheFoldForEachElement) {
  for (const std::string& kernels : HostKernelNames()) {
    for (const int64_t numel : {0, 1, 33, 1024, 2049}) {
      const auto leaves = Leaves(numel);
      for (const Fold& fold : Folds()) {
        for (const float divisor : {1.0f, 15.0f}) {
          std::vector<float> out(numel);
          HostOpsWith(kernels).FoldLeaves(out.data(), fold, Pointers(leaves), divisor, numel);
          ASSERT_EQ(CanonicalBitsOf(out), Expected(fold, leaves, divisor, numel))
              << kernels << " " << ToString(fold) << " " << numel;
        }
      }
    }
  }
}

TEST(FoldLeaves, TooMuchForTheCachesAndAnywhereInALine) {
  constexpr int64_t kNumel = 200003, kMostSkipped = 17;
  const auto leaves = Leaves(kNumel + kMostSkipped);
  const Fold fold = RingFold(6, 1, 2);
  const auto expected = Expected(fold, leaves, 6.0f, kNumel + kMostSkipped);
  for (const std::string& kernels : HostKernelNames()) {
    for (const int64_t skipped : {int64_t{0}, int64_t{1}, kMostSkipped}) {
      std::vector<const float*> pointers;
      for (const float* leaf : Pointers(leaves)) pointers.push_back(leaf + skipped);
      constexpr float kUntouched = -77;
      std::vector<float> out(kNumel + kMostSkipped + 1, kUntouched);
      HostOpsWith(kernels).FoldLeaves(out.data() + skipped, fold, pointers, 6.0f, kNumel);
      const std::vector<float> result(out.begin() + skipped, out.begin() + skipped + kNumel);
      ASSERT_EQ(CanonicalBitsOf(result),
                std::vector<uint32_t>(expected.begin() + skipped, expected.begin() + skipped + kNumel))
          << kernels << " " << skipped;
      ASSERT_EQ(std::count(out.begin(), out.end(), kUntouched), kMostSkipped + 1);
    }
  }
}

TEST(FoldLeaves, TheResultMayBeAnyLeaf) {
  constexpr int64_t kNumel = 1500;
  for (const Fold& fold : Folds()) {
    for (int result = 0; result < kLeafCount; ++result) {
      auto leaves = Leaves(kNumel);
      const auto expected = Expected(fold, leaves, 3.0f, kNumel);
      HostOps().FoldLeaves(leaves[result].data(), fold, Pointers(leaves), 3.0f, kNumel);
      ASSERT_EQ(CanonicalBitsOf(leaves[result]), expected) << ToString(fold) << " into leaf " << result;
    }
  }
}

}  // namespace
}  // namespace zerocts
