// The bodies of all kernels, run by loops of the host, against the host's operations: everything about a kernel but how
// a GPU runs it.
#include "impl/device/grid_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(GridOps, AMapWritesItsElementsOnly) {
  SerialGridOps grid_ops{SerialGrid()};
  for (int64_t numel = 0; numel < 40; ++numel) {
    std::vector<float> values(50, 1.0f), expected(50, 1.0f);
    std::fill_n(expected.begin(), numel, 3.0f);
    grid_ops.Scale(values.data(), 3.0f, numel);
    EXPECT_EQ(values, expected) << numel;
  }
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
  EXPECT_LT(bodies::kSpansBeforeCarry, int64_t{1} << (64 - SumOfSquares::kLowBits));
  EXPECT_LE(bodies::kSpan, int64_t{1} << (64 - 49));
}

/// A team that counts its atomic additions.
class CountingTeam : public SerialTeam<256> {
 public:
  explicit CountingTeam(int& additions) : additions_(additions) {}
  void AtomicAdd(uint64_t* word, uint64_t n) const {
    ++additions_;
    SerialTeam<256>::AtomicAdd(word, n);
  }

 private:
  int& additions_;
};

/// Atomic additions of the team that adds the squares of one span.
int AtomicAdditions(const std::vector<float>& values) {
  using Body = bodies::AddSquares<bodies::Plain>;
  SumOfSquares got, expected;
  Body::Room room;
  int additions = 0;
  Body{&got, {values.data()}, std::ssize(values)}(CountingTeam(additions), 0, room);
  expected.Add(values.data(), std::ssize(values));
  EXPECT_EQ(got.Value(), expected.Value());
  return additions;
}

TEST(GridOps, ValuesNearTheLargestAreAddedWithoutAtomicOperations) {
  constexpr int kOfResult = 3 * 2;
  std::vector<float> values(bodies::kSpan, 0.5f);
  EXPECT_LE(AtomicAdditions(values), kOfResult);
  for (int64_t i = 0; i < bodies::kSpan; i += 3) values[i] = 0.0f;
  EXPECT_LE(AtomicAdditions(values), kOfResult);
  for (int64_t i = 0; i < bodies::kSpan; ++i) values[i] = std::ldexp(1.9f, -static_cast<int>(i % 21));
  EXPECT_LE(AtomicAdditions(values), kOfResult);
  // Only the last half of the span is not zero, and there larger values come later.
  for (int64_t i = 0; i < bodies::kSpan; ++i) values[i] = i < bodies::kSpan / 2 ? 0.0f : i < 8000 ? 0.5f : 8.0f;
  EXPECT_LE(AtomicAdditions(values), kOfResult);
  values[5] = 1e-30f;
  EXPECT_LE(AtomicAdditions(values), kOfResult + 1 + 1);
}

Fold Nested(int depth) {
  Fold fold = Fold::Sum({Fold::Leaf(0), Fold::Leaf(1)});
  for (int i = 0; i < depth; ++i) fold = Fold::Sum({Fold::Leaf(0), std::move(fold)});
  return fold;
}

TEST(FoldProgram, IsTheFoldAsFarAsItFits) {
  constexpr int kElements = 3;
  std::vector<float> leaves[kElements];
  for (int n = 0; n < kElements; ++n) leaves[n] = WildFloats(FoldProgram::kMostLeaves, n);
  for (const Fold& fold :
       {RankFold(FoldProgram::kMostLeaves, 1), TreeFold(FoldProgram::kMostLeaves, 1),
        SumsKeptIn(Rounding::kFp32, Rounding::kBf16, RingFold(64, 1, 5), 1), Nested(FoldProgram::kDeepest - 2)}) {
    float got[kElements];
    FoldProgram(fold).Evaluate(got, [&](int g, int n) { return leaves[n][g]; });
    for (int n = 0; n < kElements; ++n) EXPECT_EQ(CanonicalBits(got[n]), CanonicalBits(Evaluate(fold, leaves[n])));
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
