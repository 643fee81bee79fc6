#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases/inputs/gradient_norm.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/check/bounded/compare_bounded.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

std::string SentenceOf(const Case& c, const std::vector<RankObservation>& ranks) {
  const auto finding = CompareWithBound(c, ranks);
  return finding ? finding->sentence : "";
}

Case ThreeRanks() {
  Case c = BoundedCase(3, 4);
  c.experiment.micro_batches = 2;
  c.experiment.steps = 3;
  return c;
}

/// What ranks show that train another experiment on the same inputs.
std::vector<RankObservation> TrainedOtherwise(const Case& c, const std::function<void(Experiment&)>& change) {
  Case other = c;
  change(other.experiment);
  std::vector<RankObservation> ranks = PerfectObservation(other);
  for (RankObservation& rank : ranks)
    rank.input_hash = PerfectObservation(c)[static_cast<size_t>(rank.rank)].input_hash;
  return ranks;
}

/// How many bounds the first finding is away.
double BoundsAway(const Case& c, const std::function<void(Experiment&)>& change) {
  const auto finding = CompareWithBound(c, TrainedOtherwise(c, change));
  if (!finding || !finding->divergence) return 0.0;
  const std::string& note = finding->divergence->note;
  const std::string before = "got is ";
  return std::stod(note.substr(note.find(before) + before.size()));
}

TEST(CompareWithBound, PassesTheReferenceInEveryOrder) {
  for (int world_size = 1; world_size <= 4; ++world_size) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      Case c = BoundedCase(world_size, seed);
      c.read_twice = c.read_before_step = true;
      for (const char* order : {"rank", "tree", "any"}) {
        c.reduction_order = order;
        EXPECT_EQ(SentenceOf(c, PerfectObservation(c)), "") << c;
      }
    }
  }
}

TEST(CompareWithBound, FindsAScaleFarBeyondTheBound) {
  const Case c = ThreeRanks();
  const auto scaled = [](float factor) {
    return [factor](Experiment& e) {
      for (HyperParameters& h : e.groups) h.lr *= factor;
    };
  };
  EXPECT_GT(BoundsAway(c, scaled(3.0f)), 10.0);            // sum over ranks in place of the mean
  EXPECT_GT(BoundsAway(c, scaled(0.5f)), 10.0);            // divided by K twice
  EXPECT_GT(BoundsAway(c, scaled(1.0f + 0x1p-10f)), 1.0);  // a thousandth
}

TEST(CompareWithBound, SaysTheBoundAndWhereItComesFrom) {
  const Case c = ThreeRanks();
  std::vector<RankObservation> ranks = PerfectObservation(c);
  for (TensorRecord& record : ranks[1].tensors) {
    if (record.what == "parameter" && record.step == 1 && record.parameter == 2) record.values[0] += 0.25f;
  }
  const auto finding = CompareWithBound(c, ranks);
  ASSERT_TRUE(finding && finding->divergence);
  EXPECT_EQ(finding->sentence, "hidden0.bias on rank 1 is beyond the bound of exact arithmetic in step 1");
  EXPECT_EQ(finding->divergence->element, 0);
  EXPECT_EQ(finding->divergence->differing, 1);
  for (const char* part : {"exact ", "bound ", " bounds away", "of its mean gradient over 6 micro-batches",
                           "n u / (1 - n u)", "exp, log and tanh by 4 u"}) {
    EXPECT_NE(finding->divergence->note.find(part), std::string::npos) << part << "\n" << finding->divergence->note;
  }
}

TEST(CompareWithBound, FindsAWrongLossAndNan) {
  const Case c = ThreeRanks();
  std::vector<RankObservation> ranks = PerfectObservation(c);
  ranks[2].scalars[0].losses[1] *= 1.001;
  EXPECT_EQ(SentenceOf(c, ranks), "loss of micro-batch 1 on rank 2 is beyond the bound of exact arithmetic in step 0");
  ranks = PerfectObservation(c);
  ranks[0].scalars[0].losses.pop_back();
  EXPECT_EQ(SentenceOf(c, ranks), "rank 0 reported 1 losses in step 0: expected 2, one per micro-batch");
  ranks = PerfectObservation(c);
  ranks[0].tensors[0].values[0] = NAN;
  EXPECT_EQ(SentenceOf(c, ranks), "embedding on rank 0 is beyond the bound of exact arithmetic after load");
}

Case Clipped(float share_of_norm) {
  Case c = ThreeRanks();
  c.experiment.max_norm = share_of_norm * KnownGradientNorm(c.experiment);
  return c;
}

TEST(CompareWithBound, FindsAWrongNormCoefficientAndUpdate) {
  for (const float share : {0.5f, 1.0f, 2.0f})
    EXPECT_EQ(SentenceOf(Clipped(share), PerfectObservation(Clipped(share))), "");
  const Case c = Clipped(0.5f);
  std::vector<RankObservation> ranks = PerfectObservation(c);
  ranks[1].scalars[1].grad_norm *= 1.001f;
  EXPECT_EQ(SentenceOf(c, ranks), "grad_norm on rank 1 is beyond the bound of exact arithmetic in step 1");
  ranks = PerfectObservation(c);
  ranks[1].scalars[1].clip_coefficient *= 1.001f;
  EXPECT_EQ(SentenceOf(c, ranks), "clip_coefficient on rank 1 is beyond the bound of exact arithmetic in step 1");
  EXPECT_GT(BoundsAway(c, [](Experiment& e) { e.max_norm = 0; }), 10.0);
}

/// The walk clips as the reference does.
TEST(CompareWithBound, PassesTheReferenceByEveryNormAndFormula) {
  for (const NormKind norm : {NormKind::kTwo, NormKind::kOne, NormKind::kInfinity}) {
    for (const ClipFormula formula :
         {ClipFormula::kMin, ClipFormula::kTorch, ClipFormula::kAbove, ClipFormula::kDeepSpeed,
          ClipFormula::kDeepSpeedFp64, ClipFormula::kDeepSpeedReciprocal}) {
      for (const float share : {0x1p-10f, 0.5f, 1.0f, 2.0f}) {
        Case c = ThreeRanks();
        c.experiment.clip_norm = norm;
        c.experiment.clip_formula = formula;
        c.experiment.clip_epsilon = 0.125f;  // so that it shows who adds it
        c.experiment.max_norm = share * KnownGradientNorm(c.experiment);
        EXPECT_EQ(SentenceOf(c, PerfectObservation(c)), "") << c;
      }
    }
  }
}

TEST(CompareWithBound, LooksAtWhatItIsAskedFor) {
  const Case c = Clipped(0.5f);
  std::vector<RankObservation> ranks = PerfectObservation(c);
  ranks[0].tensors[0].values[0] += 1.0f;
  ranks[0].scalars[0].losses[0] += 1.0f;
  const CompareOptions norm_alone{.parameters = false, .states = false, .gradient = false, .losses = false};
  EXPECT_FALSE(CompareWithBound(c, ranks, norm_alone));
  ranks[0].scalars[0].grad_norm *= 2.0f;
  EXPECT_TRUE(CompareWithBound(c, ranks, norm_alone));
}

TEST(CompareWithBound, WantsValuesAndTheSameInputs) {
  const Case c = ThreeRanks();
  std::vector<RankObservation> ranks = PerfectObservation(c);
  ranks[0].tensors[0].values.clear();
  EXPECT_NE(SentenceOf(c, ranks).find("was shown by its hash alone"), std::string::npos);
  ranks = PerfectObservation(c);
  ranks[1].input_hash = "0";
  EXPECT_NE(SentenceOf(c, ranks).find("rank 1 was not fed this case"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
