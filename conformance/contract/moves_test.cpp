// Planted faults, and what CheckMoves says about them.
#include "conformance/contract/moves.hpp"

#include <gtest/gtest.h>

#include "conformance/check/for_test/perfect_observation.hpp"
#include "reference/experiment/data.hpp"

namespace zerocts {
namespace {

Case TwoSteps(GradientSource source, Precision precision = Precision::kFp32) {
  Case c{.clause = "C-ZERO-001"};
  Experiment& e = c.experiment;
  e.parameters = {{"a", {5}, 0}, {"b", {7}, 1}};
  e.groups = {HyperParameters{.lr = 1.0f}, HyperParameters{.lr = 0.5f}};
  e.gradients = source;
  e.precision = precision;
  e.world_size = 3;
  e.micro_batches = 2;
  e.steps = 2;
  return c;
}

double GradientOf(const Case& c, int64_t step, int g, int parameter, int64_t element) {
  std::vector<float> gradient(c.experiment.parameters[parameter].numel());
  FillGradient(c.experiment, step, g, parameter, gradient.data());
  return gradient[element];
}

double MeanOf(const Case& c, int64_t step, int parameter, int64_t element) {
  const int micro_batches = c.experiment.world_size * c.experiment.micro_batches;
  double sum = 0;
  for (int g = 0; g < micro_batches; ++g) sum += GradientOf(c, step, g, parameter, element);
  return sum / micro_batches;
}

float& ValueAt(std::vector<RankObservation>& ranks, int rank, int64_t step, int parameter, int64_t element) {
  for (TensorRecord& record : ranks[rank].tensors) {
    if (record.what == "parameter" && record.step == step && record.parameter == parameter)
      return record.values[element];
  }
  throw std::logic_error("no such read");
}

/// The sentence when element 3 of b on rank 2 shows after `step` that it moved by `move` in place of its own code.
std::string SentenceFor(const Case& c, int64_t step, double move) {
  std::vector<RankObservation> ranks = PerfectObservation(c);
  const double before = ValueAt(ranks, 2, step - 1, 1, 3);
  ValueAt(ranks, 2, step, 1, 3) = static_cast<float>(before - move);
  const std::optional<Finding> finding = CheckMoves(c, ranks);
  if (!finding) return "";
  EXPECT_EQ(finding->divergence->rank, 2);
  EXPECT_EQ(finding->divergence->step, step);
  EXPECT_EQ(finding->divergence->element, 3);
  EXPECT_EQ(finding->divergence->differing, 1);
  EXPECT_EQ(finding->divergence->compared, 7);
  return finding->sentence;
}

constexpr float kLr = 0.5f;  // of b's group

TEST(Moves, OfAPerfectSubjectAreRight) {
  for (Precision precision : {Precision::kFp32, Precision::kBf16}) {
    for (GradientSource source : {GradientSource::kIndexCoded, GradientSource::kOneHot}) {
      const Case c = TwoSteps(source, precision);
      EXPECT_FALSE(CheckMoves(c, PerfectObservation(c)));
    }
  }
}

/// b is frozen in the first step, c is another name of a: what either of the two names gives moves both.
TEST(Moves, KnowWhatIsFrozenOrTied) {
  Case c = TwoSteps(GradientSource::kIndexCoded);
  c.experiment.parameters.push_back({"c", {5}, 0});
  c.experiment.roles.frozen = {{1, 0, 1}};
  c.experiment.roles.tied = {{2, 0}};
  EXPECT_FALSE(CheckMoves(c, PerfectObservation(c)));
  EXPECT_NE(SentenceFor(c, 0, kLr * MeanOf(c, 0, 1, 3)), "");
  std::vector<RankObservation> ranks = PerfectObservation(c);
  ValueAt(ranks, 1, 0, 0, 2) += static_cast<float>(MeanOf(c, 0, 2, 2));  // as if the other name gave nothing
  EXPECT_TRUE(CheckMoves(c, ranks));
}

TEST(Moves, SayThatAnElementStoodStill) {
  EXPECT_NE(SentenceFor(TwoSteps(GradientSource::kIndexCoded), 0, 0).find("element 3 of b did not move"),
            std::string::npos);
}

TEST(Moves, SayByWhichFactorTheMeanWasMissed) {
  const Case c = TwoSteps(GradientSource::kIndexCoded);
  const double own = kLr * MeanOf(c, 0, 1, 3);
  EXPECT_NE(SentenceFor(c, 0, 6 * own).find("W * K: a sum"), std::string::npos);
  EXPECT_NE(SentenceFor(c, 0, 3 * own).find("times W:"), std::string::npos);
  EXPECT_NE(SentenceFor(c, 0, -own).find("the sign is turned"), std::string::npos);
  EXPECT_NE(SentenceFor(c, 0, 2 * own).find("times K: not divided by the number of micro-batches, or as well 2:"),
            std::string::npos);
}

TEST(Moves, NameTheMicroBatchThatWasLostOrCountedTwice) {
  const Case c = TwoSteps(GradientSource::kIndexCoded);
  const double own = kLr * MeanOf(c, 0, 1, 3), part = kLr * GradientOf(c, 0, 3, 1, 3) / 6;
  EXPECT_NE(SentenceFor(c, 0, own - part).find("without the gradient of rank 1, micro-batch 1, which was lost"),
            std::string::npos);
  EXPECT_NE(SentenceFor(c, 0, own + part).find("with the gradient of rank 1, micro-batch 1, counted twice"),
            std::string::npos);
}

TEST(Moves, NameTheRankOrMicroBatchThatCountedAlone) {
  const Case c = TwoSteps(GradientSource::kIndexCoded);
  const auto part = [&](int g) { return kLr * GradientOf(c, 0, g, 1, 3) / 6; };
  const std::string last = SentenceFor(c, 0, part(1) + part(3) + part(5)),
                    local = SentenceFor(c, 0, 3 * (part(4) + part(5)));
  EXPECT_NE(last.find("moved by micro-batch 1 of each rank alone"), std::string::npos) << last;
  EXPECT_NE(local.find("moved by the gradients of rank 2 alone"), std::string::npos) << local;
}

TEST(Moves, NameTheOnlyContributionOfAOneHotGradient) {
  const std::string sentence = SentenceFor(TwoSteps(GradientSource::kOneHot), 0, 0);
  EXPECT_NE(sentence.find("which was lost"), std::string::npos) << sentence;
}

TEST(Moves, SayThatAGradientLeakedIntoTheNextStep) {
  const Case c = TwoSteps(GradientSource::kIndexCoded);
  const std::string sentence = SentenceFor(c, 1, kLr * (MeanOf(c, 0, 1, 3) + MeanOf(c, 1, 1, 3)));
  EXPECT_NE(sentence.find("once more by the one of the step before"), std::string::npos) << sentence;
}

TEST(Moves, NameTheRankWithoutWhichTheStepBeforeLeaked) {
  const Case c = TwoSteps(GradientSource::kIndexCoded);
  double left = 0;
  for (const int g : {0, 1, 4, 5}) left += GradientOf(c, 0, g, 1, 3) / 6;
  const std::string sentence = SentenceFor(c, 1, kLr * (left + MeanOf(c, 1, 1, 3)));
  EXPECT_NE(sentence.find("once more by those of the step before, of all ranks but 1"), std::string::npos) << sentence;
}

TEST(Moves, NameTheElementWhoseGradientCame) {
  const Case c = TwoSteps(GradientSource::kIndexCoded);
  const std::string sentence = SentenceFor(c, 0, kLr * MeanOf(c, 0, 1, 5));
  EXPECT_NE(sentence.find("moved by the gradient of element 5 of b"), std::string::npos) << sentence;
}

TEST(Moves, GiveTheNumbersOfWhatTheyCannotName) {
  const std::string sentence = SentenceFor(TwoSteps(GradientSource::kIndexCoded), 0, 1e6);
  EXPECT_NE(sentence.find("its own gradient asks for"), std::string::npos) << sentence;
}

Case TwoStepsOfAdamW(GradientSource source, float beta = 0.9f) {
  Case c = TwoSteps(source);
  c.experiment.optimizer = OptimizerKind::kAdamW;
  for (HyperParameters& group : c.experiment.groups) group.beta1 = beta, group.eps = 1;
  return c;
}

struct ShownMoment {
  int rank;
  float* value;
};

/// The first moment of element 3 of b after `step`, on the rank that owns it.
ShownMoment MomentIn(std::vector<RankObservation>& ranks, int64_t step) {
  for (RankObservation& rank : ranks) {
    for (TensorRecord& record : rank.tensors) {
      const Interval& at = record.interval;
      if (record.what == "exp_avg" && record.step == step && record.parameter == 1 && at.begin <= 3 && 3 < at.end)
        return {rank.rank, &record.values[static_cast<size_t>(3 - at.begin)]};
    }
  }
  throw std::logic_error("no such moment");
}

/// The sentence when that moment took up `gradient` in place of its own.
std::string SentenceOfMoments(const Case& c, int64_t step, double gradient) {
  std::vector<RankObservation> ranks = PerfectObservation(c);
  const double beta = c.experiment.groups[1].beta1;
  const double before = step == 0 ? 0.0 : *MomentIn(ranks, step - 1).value;
  const ShownMoment moment = MomentIn(ranks, step);
  *moment.value = static_cast<float>(beta * before + (1 - beta) * gradient);
  const std::optional<Finding> finding = CheckMoves(c, ranks);
  if (!finding) return "";
  EXPECT_EQ(finding->divergence->rank, moment.rank);
  EXPECT_EQ(finding->divergence->tensor, "exp_avg of b");
  EXPECT_EQ(finding->divergence->element, 3);
  return finding->sentence;
}

TEST(MovesOfMoments, OfAPerfectSubjectAreRightInEveryFormula) {
  for (const float beta : {0.5f, 0.875f, 0.9f, 0.3f, 0.999f}) {
    for (const MomentOrder moments : {MomentOrder::kFma, MomentOrder::kLerp}) {
      for (const ProductRounding products : {ProductRounding::kFused, ProductRounding::kRounded}) {
        for (const GradientSource source : {GradientSource::kIndexCoded, GradientSource::kOneHot}) {
          Case c = TwoStepsOfAdamW(source, beta);
          c.experiment.steps = 6;
          c.experiment.formula.moments = moments;
          c.experiment.formula.products = products;
          for (const int exponent : {0, 40, -134}) {
            c.experiment.gradient_exponent = exponent;
            const auto finding = CheckMoves(c, PerfectObservation(c));
            EXPECT_FALSE(finding) << beta << " " << finding->sentence;
          }
        }
      }
    }
  }
}

TEST(MovesOfMoments, NameTheFactorTheMicroBatchAndTheStep) {
  const Case c = TwoStepsOfAdamW(GradientSource::kIndexCoded);
  for (const int64_t step : {0, 1}) {
    const double own = MeanOf(c, step, 1, 3), part = GradientOf(c, step, 3, 1, 3) / 6;
    EXPECT_EQ(SentenceOfMoments(c, step, own), "");
    const std::string sum = SentenceOfMoments(c, step, 6 * own);
    EXPECT_NE(sum.find("element 3 of b, by its first moment, moved by its own gradient times W * K: a sum"),
              std::string::npos)
        << sum;
    EXPECT_NE(SentenceOfMoments(c, step, own - part).find("without the gradient of rank 1, micro-batch 1,"),
              std::string::npos);
  }
  EXPECT_NE(SentenceOfMoments(c, 1, MeanOf(c, 0, 1, 3)).find("moved by the gradient of the step before"),
            std::string::npos);
  EXPECT_NE(SentenceOfMoments(c, 0, 1e6).find("its own is"), std::string::npos);
}

TEST(MovesOfMoments, SayNothingWhereNoneAreReported) {
  const Case c = TwoStepsOfAdamW(GradientSource::kIndexCoded);
  std::vector<RankObservation> ranks = PerfectObservation(c);
  *MomentIn(ranks, 1).value = 1e6;
  EXPECT_TRUE(CheckMoves(c, ranks));
  for (RankObservation& rank : ranks)
    std::erase_if(rank.tensors,
                  [](const TensorRecord& record) { return record.what == "exp_avg" && record.step == 0; });
  EXPECT_FALSE(CheckMoves(c, ranks)) << "the moment before is not known";
}

}  // namespace
}  // namespace zerocts
