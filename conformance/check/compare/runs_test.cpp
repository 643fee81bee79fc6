#include <gtest/gtest.h>

#include "conformance/check/compare/runs.hpp"
#include "conformance/check/expected/expected.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

/// The shards of the contiguous layout, given to the ranks the other way round.
Ownership OtherWayRound(const Case& c) {
  Ownership owned = ContiguousOwnership(c);
  std::reverse(owned.begin(), owned.end());
  return owned;
}

class RunsTest : public testing::Test {
 protected:
  std::optional<Finding> Compare() const { return CompareRuns(case_, first_, case_, second_, "the plan"); }

  const Case case_ = SmallCase();
  const Expected expected_ = ExpectedOf(case_, OrderOf(case_, {}));
  std::vector<RankObservation> first_ = PerfectObservation(case_, expected_, ContiguousOwnership(case_));
  std::vector<RankObservation> second_ = PerfectObservation(case_, expected_, OtherWayRound(case_));
};

TEST_F(RunsTest, LayoutsDoNotMatter) { EXPECT_FALSE(Compare()); }

TEST_F(RunsTest, OneElementOfAShard) {
  for (TensorRecord& record : second_[0].tensors) {  // owns w2[3, 6) here
    if (record.what == "exp_avg_sq" && record.step == 1) record.values[1] += 1;
  }
  ASSERT_TRUE(Compare());
  EXPECT_EQ(Compare()->sentence, "exp_avg_sq of w2 differs in step 1 between two runs that differ in the plan only");
  EXPECT_EQ(Compare()->divergence->element, 4);
  EXPECT_EQ(Compare()->divergence->rank, 0);
}

TEST_F(RunsTest, TheNorm) {
  second_[2].scalars[0].grad_norm += 1;
  EXPECT_EQ(Compare()->divergence->tensor, "grad_norm");
}

TEST(Runs, ScalesAndSkips) {
  const Case c = SemanticsCase();
  const std::vector<RankObservation> first = PerfectObservation(c);
  std::vector<RankObservation> second = first;
  EXPECT_FALSE(CompareRuns(c, first, c, second, "nothing"));
  second[1].scalars[2].skipped = true;
  EXPECT_EQ(CompareRuns(c, first, c, second, "the overlap")->sentence,
            "skipped differs in step 2 between two runs that differ in the overlap only");
  second[0].scalars[0].loss_scale = 2;
  EXPECT_EQ(CompareRuns(c, first, c, second, "the overlap")->divergence->tensor, "loss_scale");
}

TEST_F(RunsTest, WhatOneRunDidNotShow) {
  for (RankObservation& rank : first_) {
    std::erase_if(rank.tensors, [](const TensorRecord& r) { return r.what == "master"; });
  }
  EXPECT_NE(Compare()->sentence.find("by the second run, but not by the first"), std::string::npos);
  const auto finding = CompareRuns(case_, second_, case_, first_, "the plan");
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->sentence.find("by the first run, but not by the second"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
