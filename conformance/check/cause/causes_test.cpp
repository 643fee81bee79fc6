// Planted mistakes are named, and others are not.
#include "conformance/check/cause/causes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases/capabilities/choices.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

using Causes = std::vector<std::string>;

/// 3 ranks, 2 micro-batches, 3 steps of SGD; two groups.
Case TwoGroups() {
  Case c;
  Experiment& e = c.experiment;
  e.parameters = {{"a", {4}, 0}, {"b", {5}, 1}, {"c", {3}, 0}};
  e.groups = {{.lr = 0.5f, .weight_decay = 0.25f, .momentum = 0.5f}, {.lr = 0.25f, .weight_decay = 0.125f}};
  e.world_size = 3;
  e.micro_batches = 2;
  e.steps = 3;
  return c;
}

/// What the ranks of `c` show if they compute `mistaken`.
std::vector<std::string> CausesWhere(const Case& c, const Experiment& mistaken) {
  Case wrong = c;
  wrong.experiment = mistaken;
  return CausesOf(c, PerfectObservation(wrong));
}

std::vector<std::string> CausesWhere(const Case& c, const ReductionOrder& order) {
  return CausesOf(c, PerfectObservation(c, ExpectedOf(c, order), ContiguousOwnership(c)));
}

TEST(CausesOf, NoneOfWhatIsRight) { EXPECT_EQ(CausesOf(TwoGroups(), PerfectObservation(TwoGroups())), (Causes())); }

TEST(CausesOf, NameTheHyperParametersOfAnotherGroup) {
  const Case c = TwoGroups();
  Experiment e = c.experiment;
  for (ParameterSpec& parameter : e.parameters) parameter.group = 0;
  EXPECT_EQ(CausesWhere(c, e), (Causes{"all groups used the hyper-parameters of group 0"}));
  e = c.experiment;
  e.groups[1].weight_decay = e.groups[0].weight_decay;
  EXPECT_EQ(CausesWhere(c, e), (Causes{"all groups used the weight decay of group 0"}));
  e.groups[1].momentum = e.groups[0].momentum;
  EXPECT_EQ(CausesWhere(c, e), (Causes{"all groups used the hyper-parameters of group 0, but for the learning rate"}));
}

TEST(CausesOf, NameTheDefaults) {
  const Case c = TwoGroups();
  Experiment e = c.experiment;
  for (HyperParameters& group : e.groups) group = {.lr = group.lr};
  EXPECT_EQ(CausesWhere(c, e), (Causes{"the optimizer used its default hyper-parameters, but for the learning rate"}));
}

TEST(CausesOf, NameAnotherFormula) {
  Case c = TwoGroups();
  c.experiment.optimizer = OptimizerKind::kAdamW;
  for (HyperParameters& group : c.experiment.groups) group.eps = 4;
  c.experiment.gradient_exponent = -6;
  Experiment e = c.experiment;
  e.formula.epsilon = EpsilonPosition::kInside;
  EXPECT_EQ(CausesWhere(c, e), (Causes{"epsilon was added inside of the square root"}));
  e = c.experiment;
  e.formula.decay = DecayPosition::kAfter;
  EXPECT_EQ(CausesWhere(c, e), (Causes{"the weights decayed after the update"}));
}

TEST(CausesOf, NameABiasCorrectionOneStepAhead) {
  Case c = TwoGroups();
  c.experiment.optimizer = OptimizerKind::kAdamW;
  c.experiment.steps = 1;
  Case ahead = c;
  for (HyperParameters& group : ahead.experiment.groups) {
    const float by = std::sqrt(1 + group.beta2) / (1 + group.beta1);
    group.lr *= by, group.weight_decay /= by;
  }
  EXPECT_EQ(CausesOf(c, PerfectObservation(ahead)), (Causes{"the bias correction was one step ahead"}));
}

TEST(CausesOf, NameClipping) {
  Case c = TwoGroups();
  for (HyperParameters& group : c.experiment.groups) group.momentum = group.weight_decay = 0;
  c.experiment.steps = 1;
  c.experiment.max_norm = 0.25f;
  Case twice = c;
  const Expected right = ExpectedOf(c, UniformOrder(c.experiment, RankFold(3, 2)));
  for (HyperParameters& group : twice.experiment.groups) group.lr *= right.steps[0].clip_coefficient;
  EXPECT_EQ(CausesOf(c, PerfectObservation(twice)), (Causes{"the gradients were clipped twice"}));
}

TEST(CausesOf, NameGradientsThatCountAlone) {
  Case c = TwoGroups();
  c.experiment.gradients = GradientSource::kUniform;
  c.reduction_order = "rank";
  const auto only = [&](std::vector<Fold> leaves) { return UniformOrder(c.experiment, Fold::Sum(std::move(leaves))); };
  EXPECT_EQ(CausesWhere(c, only({Fold::Leaf(2), Fold::Leaf(3)})), (Causes{"only the gradients of rank 1 counted"}));
  EXPECT_EQ(CausesWhere(c, only({Fold::Leaf(1), Fold::Leaf(3), Fold::Leaf(5)})),
            (Causes{"only micro-batch 1 of 2 of each rank counted"}));
}

TEST(CausesOf, NameASum) {
  const Case c = TwoGroups();
  const Fold all = RankFold(3, 2);
  EXPECT_EQ(CausesWhere(c, UniformOrder(c.experiment, Fold::Sum({all, all, all}))),
            (Causes{"the sum over ranks was taken for the mean"}));
}

/// Shards of 4 elements: a; b but for its last; the rest.
TEST(CausesOf, NameAnUnreducedGradient) {
  const Case c = TwoGroups();
  const auto of_rank = [](int rank) {
    const Fold sum = Fold::Sum({Fold::Leaf(2 * rank), Fold::Leaf(2 * rank + 1)});
    return Fold::Sum({sum, sum, sum});
  };
  const Fold all = RankFold(3, 2);
  EXPECT_TRUE(Contains(CausesWhere(c, ReductionOrder{{{0, 4, of_rank(0)}, {4, 12, all}}, {}}),
                       std::string("rank 0 kept its own gradient, unreduced")));
  EXPECT_EQ(CausesWhere(c, ReductionOrder{{{0, 9, all}, {9, 12, of_rank(2)}}, {}}),
            (Causes{"each rank kept its own gradient of c, unreduced"}));
}

TEST(CausesOf, NoneWhereNoMistakeExplainsAll) {
  const Case c = TwoGroups();
  Experiment e = c.experiment;
  for (ParameterSpec& parameter : e.parameters) parameter.group = 0;
  Case wrong = c;
  wrong.experiment = e;
  std::vector<RankObservation> ranks = PerfectObservation(wrong);
  ranks[2].tensors.back().values.front() += 1;
  EXPECT_EQ(CausesOf(c, ranks), (Causes()));
}

TEST(CausesOf, SayWhichParametersAreRight) {
  const Case c = TwoGroups();
  Case wrong = c;
  wrong.experiment.groups[1].lr = 1;
  EXPECT_EQ(WrongAndRight(c, PerfectObservation(wrong)), "b is wrong; right are a, c");
  EXPECT_EQ(WrongAndRight(c, PerfectObservation(c)), "");
}

/// As of a subject that takes what it does not declare: there is a failure to explain, and no order to explain it by.
TEST(CausesOf, NothingIsThrownWhereTheOrderOfAdditionsIsUnknown) {
  Case c = TwoGroups();
  const std::vector<RankObservation> ranks = PerfectObservation(c);
  c.experiment.reduction = Precision::kBf16;
  c.reduction_order = "any";
  EXPECT_NO_THROW(CausesOf(c, ranks));
  EXPECT_NO_THROW(WrongAndRight(c, ranks));
  c.stage = 0;
  c.reduction_order = "ring";
  EXPECT_NO_THROW(CausesOf(c, ranks));
  EXPECT_EQ(WrongAndRight(c, ranks), "");
}

}  // namespace
}  // namespace zerocts
