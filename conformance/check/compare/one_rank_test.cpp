// Self parity: what W ranks and one rank of the same subject show.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "conformance/cases/inputs/one_rank.hpp"
#include "conformance/check/compare/runs.hpp"
#include "conformance/check/finding/finding.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

using Ranks = std::vector<RankObservation>;

/// Small, of random gradients: 3 ranks with one micro-batch each.
Case RandomCase() {
  Case c = SmallCase();
  c.experiment.precision = Precision::kFp32;
  c.experiment.gradients = GradientSource::kUniform;
  c.experiment.micro_batches = 1;
  c.reduction_order = "rank";
  c.fidelity = Fidelity::kSelfParity;
  return c;
}

class OneRankTest : public testing::Test {
 protected:
  std::optional<Finding> Compare() const { return CompareWithOneRank(case_, ranks_, alone_, one_rank_); }

  const Case case_ = RandomCase(), alone_ = OnOneRank(case_);
  Ranks ranks_ = PerfectObservation(case_), one_rank_ = PerfectObservation(alone_);
};

TEST_F(OneRankTest, HasTheBitsOfThree) { EXPECT_FALSE(Compare()); }

TEST_F(OneRankTest, AnotherElementIsFound) {
  for (TensorRecord& record : ranks_[2].tensors) {  // owns w2[3, 6)
    if (record.what != "exp_avg" || record.step != 1) continue;
    record.values[1] = 7;
  }
  const auto finding = Compare();
  ASSERT_TRUE(finding);
  EXPECT_TRUE(finding->sentence.starts_with("exp_avg of w2 differs in step 1: on 3 ranks 7 (rank 2), on one rank "))
      << finding->sentence;
  EXPECT_EQ(finding->divergence->element, 4);
  EXPECT_EQ(finding->divergence->note, "expected is what one rank gave");
}

TEST_F(OneRankTest, WhatOneDidNotShowIsSaid) {
  std::erase_if(one_rank_[0].tensors, [](const TensorRecord& record) { return record.what == "master"; });
  EXPECT_NE(Compare()->sentence.find("by 3 ranks, but not by one rank: expected the same tensors from both"),
            std::string::npos);
}

TEST(OneRank, LossesOfEveryMicroBatch) {
  Case c = BoundedCase(3, 1);
  const Case alone = OnOneRank(c);
  Ranks ranks = PerfectObservation(c);
  ranks[2].scalars[0].losses.back() += 1e-12;
  const auto finding = CompareWithOneRank(c, ranks, alone, PerfectObservation(alone));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->divergence->tensor, "loss of micro-batch " + std::to_string(c.experiment.micro_batches - 1));
  EXPECT_TRUE(finding->divergence->rank == 2 && finding->divergence->step == 0);
}

// The definition: where AddsAsOnOneRank says so, the reference itself has the bits of one rank.
RC_GTEST_PROP(OneRank, TheReferenceHasItsBits, ()) {
  Case c = *AnyCase();
  c.experiment.accumulation = c.experiment.reduction = Precision::kFp32;
  if (!AddsAsOnOneRank(c) || !Problem(OnOneRank(c)).empty()) RC_DISCARD();
  const auto finding = CompareWithOneRank(c, PerfectObservation(c), OnOneRank(c), PerfectObservation(OnOneRank(c)));
  if (finding) RC_FAIL(finding->sentence);
}

// .. and where it does not, bits may differ: three micro-batches a rank, balanced.
TEST(OneRank, AnotherOrderHasOtherBits) {
  Case c = RandomCase();
  c.experiment.micro_batches = 3;
  c.reduction_order = "tree";
  ASSERT_FALSE(AddsAsOnOneRank(c));
  int differing = 0;
  for (c.experiment.seed = 1; c.experiment.seed <= 20; ++c.experiment.seed) {
    differing +=
        CompareWithOneRank(c, PerfectObservation(c), OnOneRank(c), PerfectObservation(OnOneRank(c))).has_value();
  }
  EXPECT_GT(differing, 5);
}

}  // namespace
}  // namespace zerocts
