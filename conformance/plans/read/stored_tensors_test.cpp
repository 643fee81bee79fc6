#include "conformance/plans/read/stored_tensors.hpp"

#include <gtest/gtest.h>

#include "reference/plan/judge/judge.hpp"
#include "reference/plan/runs/problem.hpp"

namespace zerocts::read {
namespace {

/// The reading of one tensor w on two shards.
Reading ReadingOf(const std::vector<int64_t>& shape, const std::vector<Block>& blocks) {
  Reading reading;
  SetPlanOf({{{.name = "w", .shape = shape}, blocks}}, "file", 2, reading);
  EXPECT_EQ(plan::Problem(reading.plan), "");
  return reading;
}

std::string FirstViolation(const Reading& reading) {
  const plan::Verdict verdict = plan::Judge(reading.plan);
  return verdict.sound() ? "sound" : ToString(verdict.firsts.front());
}

TEST(StoredTensors, AreSoundByRowsColumnsAndWithoutDimensions) {
  EXPECT_EQ(FirstViolation(ReadingOf({5, 3}, {{{0, 0}, {3, 3}, 0}, {{3, 0}, {2, 3}, 1}})), "sound");
  EXPECT_EQ(FirstViolation(ReadingOf({5, 3}, {{{0, 0}, {5, 2}, 0}, {{0, 2}, {5, 1}, 1}})), "sound");
  EXPECT_EQ(FirstViolation(ReadingOf({}, {{{}, {}, 1}})), "sound");
  EXPECT_EQ(FirstViolation(ReadingOf({0, 3}, {{{0, 0}, {0, 3}, 0}})), "sound");
}

TEST(StoredTensors, BreakCoverageAndDisjointness) {
  EXPECT_EQ(FirstViolation(ReadingOf({5, 3}, {{{0, 0}, {3, 3}, 0}})),
            "P1 coverage: parameters of w, element 9: nobody holds [9, 15)");
  EXPECT_EQ(FirstViolation(ReadingOf({4}, {{{0}, {3}, 0}, {{2}, {2}, 1}})).substr(0, 12), "disjointness");
}

/// Rows 0 to 2, columns 2 to 3 of a tensor with three columns: its elements would be those of the next rows.
TEST(StoredTensors, MayNotReachIntoTheNextRow) {
  const Reading reading = ReadingOf({5, 3}, {{{0, 2}, {2, 2}, 0}});
  ASSERT_EQ(reading.faults.size(), 1u);
  EXPECT_EQ(reading.faults[0], "a block of w begins at [0, 2] with sizes [2, 2]: expected it within [5, 3]");
}

TEST(StoredTensors, RefuseMoreRunsThanTheJudgeCanList) {
  EXPECT_THROW(ReadingOf({1 << 22, 2}, {{{0, 0}, {1 << 22, 1}, 0}}), std::invalid_argument);
  EXPECT_THROW(ReadingOf({4, 2}, {{{0}, {4}, 0}}), std::invalid_argument);
  EXPECT_THROW(ReadingOf({int64_t{1} << 40, int64_t{1} << 40}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts::read
