// The bodies of all kernels, run by loops of the host, against the host's operations: everything about a kernel but how
// a GPU runs it.
#include "impl/device/grid_ops.hpp"

#include <gtest/gtest.h>

#include "impl/device/for_test/op_cases.hpp"
#include "impl/device/for_test/serial_grid.hpp"
#include "reference/numerics/floats_for_test.hpp"

namespace zerocts::engine {
namespace {

TEST(GridOps, EveryOperationHasTheBitsOfTheHost) {
  SerialGridOps grid_ops{SerialGrid()};
  int compared = 0;
  for (const OpCase& c : OpCases()) {
    const std::vector<OpBuffer> expected = c.RunOnHost(HostOps()), got = c.RunOnHost(grid_ops);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(got[i].Bits(), expected[i].Bits()) << c.name << ", buffer " << i;
    }
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

TEST(GridOps, ASumOfManySpansCarriesInTime) {
  SerialGridOps grid_ops{SerialGrid()};
  const std::vector<float> largest(bodies::kSpan, FromBits(0x3fffffff));  // every mantissa bit
  SumOfSquares got, expected;
  for (int i = 0; i < 40; ++i) {
    grid_ops.AddSquares(&got, largest.data(), std::ssize(largest));
    expected.Add(largest.data(), std::ssize(largest));
  }
  EXPECT_EQ(got.Value(), expected.Value());
  EXPECT_EQ(got.bins[127].low, expected.bins[127].low);
  EXPECT_LT(bodies::kSpansBeforeCarry, int64_t{1} << (64 - SumOfSquares::kLowBits));
  EXPECT_LE(bodies::kSpan, int64_t{1} << (64 - SumOfSquares::kLowBits));
}

Fold Nested(int depth) {
  Fold fold = Fold::Sum({Fold::Leaf(0), Fold::Leaf(1)});
  for (int i = 0; i < depth; ++i) fold = Fold::Sum({Fold::Leaf(0), std::move(fold)});
  return fold;
}

TEST(FoldProgram, IsTheFoldAsFarAsItFits) {
  const std::vector<float> leaves = WildFloats(FoldProgram::kMostLeaves, 1);
  for (const Fold& fold :
       {RankFold(FoldProgram::kMostLeaves, 1), TreeFold(FoldProgram::kMostLeaves, 1),
        SumsKeptIn(Rounding::kFp32, Rounding::kBf16, RingFold(64, 1, 5), 1), Nested(FoldProgram::kDeepest - 2)}) {
    const float got = FoldProgram(fold).Evaluate([&](int g) { return leaves[g]; });
    EXPECT_EQ(CanonicalBits(got), CanonicalBits(Evaluate(fold, leaves)));
  }
}

TEST(FoldProgram, RefusesWhatDoesNotFit) {
  EXPECT_THROW(FoldProgram(RankFold(FoldProgram::kMostLeaves + 1, 1)), std::length_error);
  EXPECT_THROW(FoldProgram(Nested(FoldProgram::kDeepest)), std::length_error);
  std::vector<Fold> many(FoldProgram::kMostSteps + 1, Fold::Leaf(0));
  EXPECT_THROW(FoldProgram(Fold::Sum(many)), std::length_error);
}

}  // namespace
}  // namespace zerocts::engine
