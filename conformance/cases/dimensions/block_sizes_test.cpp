#include <gtest/gtest.h>

#include <set>

#include "conformance/cases/drawing/drawn_for_test.hpp"
#include "conformance/cases/for_test/test_spaces.hpp"

namespace zerocts {
namespace {

using Distances = std::set<int64_t>;

std::vector<Case> DrawnWithBlocks(const CaseConditions& conditions) {
  const CaseSpace space{.clause = "C-ZERO-000", .vary = {"block sizes"}, .min_steps = 2};
  return Drawn(space, conditions, EverythingCapable(), 2000);
}

/// How far numbers of elements are from a block, where that is at most one.
template <typename NumelsOf>
Distances DistancesFrom(int64_t block, const std::vector<Case>& cases, NumelsOf numels_of) {
  Distances distances;
  for (const Case& c : cases) {
    for (const int64_t numel : numels_of(c.experiment)) {
      if (std::abs(numel - block) <= 1) distances.insert(numel - block);
    }
  }
  return distances;
}

std::vector<int64_t> NumelOfEach(const Experiment& e) {
  std::vector<int64_t> numels;
  for (const ParameterSpec& parameter : e.parameters) numels.push_back(parameter.numel());
  return numels;
}

std::vector<int64_t> NumelOfAll(const Experiment& e) { return {TotalNumel(e)}; }

TEST(BlockSizes, AreBelowAtAndAboveEachBlock) {
  const Distances all = {-1, 0, 1};
  for (const auto& [precision, largest] : {std::pair{Precision::kFp32, 1 << 20}, {Precision::kBf16, 1 << 21}}) {
    const std::vector<Case> cases = DrawnWithBlocks({3, precision});
    for (const int64_t block : {4096, 32768, 65536, largest})
      EXPECT_EQ(DistancesFrom(block, cases, NumelOfEach), all) << block;
    for (const int64_t block : {4096, 32768, 65536})
      EXPECT_EQ(DistancesFrom(3 * block, cases, NumelOfAll), all) << block;
  }
}

TEST(BlockSizes, OfTheLargestBlockHaveFewStepsAndMicroBatches) {
  for (const Case& c : DrawnWithBlocks({8, Precision::kFp32})) {
    if (TotalNumel(c.experiment) < 1'000'000) continue;
    EXPECT_LT(TotalNumel(c.experiment), 1'100'000);
    EXPECT_EQ(c.experiment.steps, 2);
    EXPECT_LE(c.experiment.micro_batches, 2);
  }
}

TEST(BlockSizes, AreNotDrawnWhereTensorsAreHeldSmall) {
  CaseConditions small{3, Precision::kFp32};
  small.largest_size = 0;
  for (const Case& c : DrawnWithBlocks(small)) EXPECT_LT(TotalNumel(c.experiment), 4095);
}

}  // namespace
}  // namespace zerocts
