#include <gtest/gtest.h>

#include "conformance/check/finding/finding.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"
#include "conformance/check/observation/agreement.hpp"

namespace zerocts {
namespace {

class AgreementTest : public testing::Test {
 protected:
  TensorRecord& Record(int rank, const std::string& what, int64_t step, int parameter) {
    for (TensorRecord& record : ranks_[rank].tensors) {
      if (record.what == what && record.step == step && record.parameter == parameter) return record;
    }
    throw std::logic_error("no such record");
  }
  std::optional<Finding> Check() const { return CheckAgreement(case_, ranks_); }

  const Case case_ = SmallCase();
  std::vector<RankObservation> ranks_ = PerfectObservation(case_);
};

TEST_F(AgreementTest, ParametersOfAllRanks) {
  ASSERT_FALSE(Check());
  Record(2, "parameter", 1, 3).values[4] += 1;
  EXPECT_EQ(Check()->sentence, "ranks 0 and 2 do not hold the same bits of w2 after step 1");
  EXPECT_EQ(Check()->divergence->element, 4);
  EXPECT_EQ(Check()->divergence->note, "expected is what rank 0 holds; same bits on ranks {0,1} {2}");
  Record(1, "parameter", -1, 0).values[0] += 1;
  EXPECT_EQ(Check()->sentence, "ranks 0 and 1 do not hold the same bits of w1 after load");
}

TEST_F(AgreementTest, NormAndCoefficient) {
  ranks_[1].scalars[1].clip_coefficient *= 0.5f;
  EXPECT_EQ(Check()->sentence, "ranks 0 and 1 do not agree on clip_coefficient after step 1");
  ranks_[2].scalars[0].grad_norm *= 2;
  EXPECT_EQ(Check()->sentence, "ranks 0 and 2 do not agree on grad_norm after step 0");
}

TEST(Agreement, ScalesAndSkips) {
  const Case c = SemanticsCase();
  std::vector<RankObservation> ranks = PerfectObservation(c);
  ASSERT_FALSE(CheckAgreement(c, ranks));
  ranks[3].scalars[1].clip_coefficient = 0.25f;  // of a skipped step
  ASSERT_FALSE(CheckAgreement(c, ranks));
  ranks[4].scalars[1].skipped = false;
  EXPECT_EQ(CheckAgreement(c, ranks)->sentence,
            "step 1 was skipped by ranks 0, 1, 2, 3, 5 and taken by rank 4: expected all ranks to do the same");
  ranks[5].scalars[0].loss_scale = 16;
  EXPECT_EQ(CheckAgreement(c, ranks)->sentence, "ranks 0 and 5 do not agree on loss_scale after step 0");
}

TEST(Agreement, MastersAreCastToThePrecisionOfTheirParameter) {
  const Case c = SemanticsCase();
  std::vector<RankObservation> ranks = PerfectObservation(c);
  for (RankObservation& rank : ranks) {
    for (TensorRecord& record : rank.tensors) {
      if (record.what == "parameter" && record.step == 0 && record.parameter == 4) record.values[0] += 1;
    }
  }
  ASSERT_TRUE(CheckAgreement(c, ranks));
  EXPECT_EQ(CheckAgreement(c, ranks)->divergence->note, "expected is the owner's master weight in bf16");
}

TEST_F(AgreementTest, ParametersAreTheOwnersMasterInBf16) {
  for (int rank = 0; rank < 3; ++rank) Record(rank, "parameter", 0, 3).values[3] = 100;  // owned by rank 2
  EXPECT_EQ(Check()->sentence, "w2 after step 0 is not the master weight of its owner, rank 2");
  EXPECT_EQ(Check()->divergence->got, 100);
  EXPECT_EQ(Check()->divergence->element, 3);
}

TEST_F(AgreementTest, WithoutReadsThereIsNoAgreement) {
  for (RankObservation& rank : ranks_) rank.tensors.clear();
  EXPECT_TRUE(Check());
}

}  // namespace
}  // namespace zerocts
