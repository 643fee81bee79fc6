#include "reference/train/trainer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <stdexcept>
#include <tuple>

namespace zerocts {
namespace {

Experiment MakeExperiment(int world_size, int micro_batches, GradientSource source = GradientSource::kUniform) {
  Experiment e;
  e.parameters = {{"a", {2}, 0}, {"b", {3}, 1}};
  e.groups.resize(2);
  e.groups[0].weight_decay = 0.1f;
  e.groups[1].lr = 0.03f;
  e.gradients = source;
  e.initial = InitialValues::kUniform;
  e.world_size = world_size;
  e.micro_batches = micro_batches;
  e.steps = 3;
  return e;
}

std::vector<StepTrace> TrainByTree(const Experiment& e) {
  return Train(e, UniformOrder(e, TreeFold(e.world_size, e.micro_batches)), HostOps());
}

void ExpectSameBits(const std::vector<StepTrace>& a, const std::vector<StepTrace>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t s = 0; s < a.size(); ++s) {
    EXPECT_EQ(a[s].gradient, b[s].gradient) << "step " << s;
    EXPECT_EQ(a[s].grad_norm, b[s].grad_norm) << "step " << s;
    EXPECT_EQ(a[s].master, b[s].master) << "step " << s;
    EXPECT_EQ(a[s].moment1, b[s].moment1) << "step " << s;
    EXPECT_EQ(a[s].moment2, b[s].moment2) << "step " << s;
    EXPECT_EQ(a[s].parameter, b[s].parameter) << "step " << s;
  }
}

TEST(Trainer, AddsTheCurvatureOfWhatItTrained) {
  Experiment linear = MakeExperiment(1, 1), curved = linear;
  curved.curvature = 0.5f;
  Trainer of_linear(linear, UniformOrder(linear, RankFold(1, 1)), HostOps()),
      of_curved(curved, UniformOrder(curved, RankFold(1, 1)), HostOps());
  for (int64_t step = 0; step < curved.steps; ++step) {
    const std::vector<std::vector<float>> p = of_curved.parameters();
    const StepTrace g = of_linear.Step(), got = of_curved.Step();
    EXPECT_EQ(got.gradient[1][2], g.gradient[1][2] + 0.5f * p[1][2]) << "step " << step;
  }
}

/// What any order and position of the division makes of it.
TEST(Trainer, HasOneResultWhereCurvatureIsExact) {
  for (const auto& [world_size, micro_batches, exact] : {std::tuple(4, 2, true), std::tuple(3, 1, false)}) {
    Experiment e = MakeExperiment(world_size, micro_batches, GradientSource::kOneHot);
    e.curvature = 1;
    EXPECT_EQ(IsExact(e), exact);
    if (exact)
      ExpectSameBits(TrainByTree(e), Train(e, UniformOrder(e, RankFold(world_size, micro_batches)), HostOps()));
    e.gradients = GradientSource::kIndexCoded;
    EXPECT_FALSE(IsExact(e)) << "every micro-batch adds digits of a parameter";
  }
}

// What is saved holds no number of ranks: from the step on the data and the mean are those of the others.
TEST(Trainer, GoesOnWithAnotherNumberOfRanks) {
  const Experiment two = MakeExperiment(2, 3, GradientSource::kIndexCoded),
                   five = MakeExperiment(5, 3, GradientSource::kIndexCoded);
  const auto order_of = [](const Experiment& e) { return UniformOrder(e, RankFold(e.world_size, e.micro_batches)); };
  for (const auto& [first, then] : {std::pair(two, five), std::pair(five, two)}) {
    const std::vector<StepTrace> of_first = Train(first, order_of(first), HostOps()),
                                 of_then = Train(then, order_of(then), HostOps());
    Trainer trainer(first, order_of(first), HostOps());
    EXPECT_EQ(trainer.Step().parameter, of_first[0].parameter);
    trainer.GoOnWith(then.world_size, order_of(then));
    const StepTrace second = trainer.Step();
    EXPECT_EQ(second.gradient, of_then[1].gradient) << "given gradients depend on no parameter";
    EXPECT_NE(second.gradient, of_first[1].gradient);
    EXPECT_EQ(second.step, 1);
  }
}

// Three ranks, two parameters of one element each, two steps, everything written out.
TEST(Trainer, IsWhatOneWritesDownByHand) {
  Experiment e = MakeExperiment(3, 1);
  e.parameters = {{"a", {}, 0}, {"b", {1}, 1}};
  e.optimizer = OptimizerKind::kSgd;
  e.groups[0].momentum = 0.5f;
  e.max_norm = 0.25f;
  Trainer trainer(e, UniformOrder(e, RankFold(3, 1)), HostOps());

  float a = InitialValuesOf(e, 0)[0], b = InitialValuesOf(e, 1)[0];
  float momentum_a = 0.0f, momentum_b = 0.0f;
  for (int step = 0; step < 2; ++step) {
    float ga[3], gb[3];
    for (int rank = 0; rank < 3; ++rank) {
      FillGradient(e, step, rank, 0, &ga[rank]);
      FillGradient(e, step, rank, 1, &gb[rank]);
    }
    const float mean_a = ((ga[0] + ga[1]) + ga[2]) / 3.0f, mean_b = ((gb[0] + gb[1]) + gb[2]) / 3.0f;
    const float norm = static_cast<float>(std::sqrt(double{mean_a} * mean_a + double{mean_b} * mean_b));
    const float clip = std::min(1.0f, 0.25f / (norm + 1e-6f));
    momentum_a = std::fma(0.5f, momentum_a, std::fma(0.1f, a, clip * mean_a));
    momentum_b = clip * mean_b;
    a = std::fma(-0.1f, momentum_a, a);
    b = std::fma(-0.03f, momentum_b, b);

    const StepTrace trace = trainer.Step();
    EXPECT_EQ(trace.step, step);
    EXPECT_EQ(trace.gradient, (std::vector<std::vector<float>>{{mean_a}, {mean_b}}));
    EXPECT_EQ(trace.grad_norm, norm);
    EXPECT_EQ(trace.clip_coefficient, clip);
    EXPECT_EQ(trace.moment1, (std::vector<std::vector<float>>{{momentum_a}, {momentum_b}}));
    EXPECT_EQ(trace.moment2, (std::vector<std::vector<float>>{{}, {}}));
    EXPECT_EQ(trace.master, (std::vector<std::vector<float>>{{a}, {b}}));
    EXPECT_EQ(trace.parameter, trace.master);
    EXPECT_EQ(trainer.parameters(), trace.parameter);
  }
}

TEST(Trainer, AddsEveryRangeInItsOwnOrder) {
  Experiment e = MakeExperiment(3, 1);
  e.seed = 5;
  // A range that begins in the middle of parameter b.
  const ReductionOrder order{{{0, 3, RingFold(3, 1, 0)}, {3, 5, RankFold(3, 1)}}};
  const StepTrace trace = Trainer(e, order, HostOps()).Step();
  std::vector<std::vector<float>> a(3, std::vector<float>(2)), b(3, std::vector<float>(3));
  for (int g = 0; g < 3; ++g) {
    FillGradient(e, 0, g, 0, a[g].data());
    FillGradient(e, 0, g, 1, b[g].data());
  }
  const auto ring = [](float g0, float g1, float g2) { return ((g1 + g2) + g0) / 3.0f; };
  const auto rank = [](float g0, float g1, float g2) { return ((g0 + g1) + g2) / 3.0f; };
  for (int i = 0; i < 2; ++i) EXPECT_EQ(trace.gradient[0][i], ring(a[0][i], a[1][i], a[2][i]));
  EXPECT_EQ(trace.gradient[1][0], ring(b[0][0], b[1][0], b[2][0]));
  for (int i = 1; i < 3; ++i) EXPECT_EQ(trace.gradient[1][i], rank(b[0][i], b[1][i], b[2][i]));
}

TEST(Trainer, ChangesItsOrderBetweenSteps) {
  Experiment e = MakeExperiment(3, 1);
  e.steps = 2;
  const Division by_three{.by = 3};
  const auto share = [&](int g) { return Fold::Quotient(Fold::Leaf(g), by_three); };
  const Fold backwards = Fold::Sum({share(2), share(1), share(0)});
  Trainer trainer(e, UniformOrder(e, RankFold(3, 1)), HostOps());
  const StepTrace first = trainer.Step();
  trainer.AddInOrder(UniformOrder(e, backwards));
  const StepTrace second = trainer.Step();
  const auto gradient = [&](int64_t step, int64_t g) {
    std::vector<float> values(2);
    FillGradient(e, step, g, 0, values.data());
    return values;
  };
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first.gradient[0][i], ((gradient(0, 0)[i] + gradient(0, 1)[i]) + gradient(0, 2)[i]) / 3.0f);
    EXPECT_EQ(second.gradient[0][i], (gradient(1, 2)[i] / 3.0f + gradient(1, 1)[i] / 3.0f) + gradient(1, 0)[i] / 3.0f);
  }
  EXPECT_THROW(trainer.AddInOrder(UniformOrder(e, RankFold(4, 1))), std::invalid_argument);
}

TEST(Trainer, ByTreeDoesNotSeeHowTheBatchIsSplit) {
  for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdamW}) {
    const auto train = [&](int world_size, int micro_batches) {
      Experiment e = MakeExperiment(world_size, micro_batches);
      e.optimizer = optimizer;
      e.max_norm = 0.5f;
      return TrainByTree(e);
    };
    ExpectSameBits(train(1, 4), train(4, 1));
    ExpectSameBits(train(1, 4), train(2, 2));
    ExpectSameBits(train(1, 12), train(3, 4));
  }
}

Fold AnyFold(std::vector<Fold> terms) {
  while (terms.size() > 1) {
    std::swap(terms[*rc::gen::inRange<size_t>(0, terms.size())], terms.back());
    const Fold last = terms.back();
    terms.pop_back();
    Fold& other = terms[*rc::gen::inRange<size_t>(0, terms.size())];
    other = Fold::Sum({other, last});
  }
  return terms[0];
}

RC_GTEST_PROP(Trainer, GivesTheSameBitsInEveryOrderOnExactGradients, ()) {
  Experiment e = MakeExperiment(*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 4));
  e.gradients = *rc::gen::element(GradientSource::kIndexCoded, GradientSource::kOneHot, GradientSource::kPythagorean);
  e.optimizer = *rc::gen::element(OptimizerKind::kSgd, OptimizerKind::kAdamW);
  e.precision = *rc::gen::element(Precision::kFp32, Precision::kBf16);
  e.seed = *rc::gen::arbitrary<uint64_t>();
  std::vector<Fold> leaves;
  for (int g = 0; g < e.world_size * e.micro_batches; ++g) leaves.push_back(Fold::Leaf(g));
  ExpectSameBits(Train(e, UniformOrder(e, AnyFold(leaves)), HostOps()), TrainByTree(e));
}

TEST(Trainer, ClipsOnlyAboveTheLargestNorm) {
  Experiment e = MakeExperiment(3, 2, GradientSource::kPythagorean);  // norm 5
  e.clip_epsilon = 0.0f;
  const auto coefficient = [&](float max_norm) {
    e.max_norm = max_norm;
    return TrainByTree(e)[0].clip_coefficient;
  };
  EXPECT_EQ(TrainByTree(e)[0].grad_norm, 5.0f);
  EXPECT_EQ(coefficient(0.0f), 1.0f);
  EXPECT_EQ(coefficient(5.0f), 1.0f);
  EXPECT_EQ(coefficient(2.5f), 0.5f);

  e.groups[0].weight_decay = 0.0f;
  e.groups[0].lr = e.groups[1].lr = 1.0f;
  e.initial = InitialValues::kIntegers;
  const StepTrace clipped = TrainByTree(e)[0];
  for (size_t p = 0; p < 2; ++p) {
    const std::vector<float> before = InitialValuesOf(e, p);
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(clipped.master[p][i], before[i] - 0.5f * clipped.gradient[p][i]);
    }
  }
}

TEST(Trainer, KeepsMastersInFp32AndComputesInBf16) {
  Experiment e = MakeExperiment(3, 1);
  e.precision = Precision::kBf16;
  Trainer trainer(e, UniformOrder(e, RankFold(3, 1)), HostOps());
  const auto expect_rounded = [](const std::vector<std::vector<float>>& parameters,
                                 const std::vector<std::vector<float>>& masters) {
    bool differ = false;
    for (size_t p = 0; p < masters.size(); ++p) {
      for (size_t i = 0; i < masters[p].size(); ++i) {
        EXPECT_EQ(parameters[p][i], RoundToBf16(masters[p][i]));
        differ |= parameters[p][i] != masters[p][i];
      }
    }
    EXPECT_TRUE(differ);
  };
  expect_rounded(trainer.parameters(), trainer.masters());
  const StepTrace trace = trainer.Step();
  expect_rounded(trace.parameter, trace.master);
}

TEST(Trainer, FollowsHyperParameterChanges) {
  Experiment e = MakeExperiment(3, 1);
  e.parameters = {{"a", {1}, 0}};
  e.groups[0] = {.lr = 1.0f};
  e.changes = {{1, 0, {.lr = 0.5f}}, {2, 0, {.lr = 0.25f}}};
  e.initial = InitialValues::kIntegers;
  e.gradients = GradientSource::kIndexCoded;
  float before = InitialValuesOf(e, 0)[0];
  float lr = 1.0f;
  for (const StepTrace& trace : TrainByTree(e)) {
    EXPECT_EQ(trace.master[0][0], before - lr * trace.gradient[0][0]);
    before = trace.master[0][0];
    lr /= 2;
  }
}

TEST(Trainer, CountsStepsOfEveryGroup) {
  // Gradients of one size: after bias correction the mean update of AdamW is the sign of the gradient, in both groups,
  // at every step.
  Experiment e = MakeExperiment(1, 1, GradientSource::kIndexCoded);
  e.optimizer = OptimizerKind::kAdamW;
  e.parameters = {{"a", {}, 0}, {"b", {}, 1}};
  e.groups = {{.lr = 0.5f, .beta1 = 0.0f, .beta2 = 0.0f, .eps = 1e-20f},
              {.lr = 0.25f, .beta1 = 0.0f, .beta2 = 0.0f, .eps = 1e-20f}};
  e.initial = InitialValues::kIntegers;
  const std::vector<StepTrace> steps = TrainByTree(e);
  EXPECT_EQ(steps[2].master[0][0], InitialValuesOf(e, 0)[0] - 1.5f);
  EXPECT_EQ(steps[2].master[1][0], InitialValuesOf(e, 1)[0] - 0.75f);
}

TEST(Trainer, TakesParametersWithoutElements) {
  Experiment e = MakeExperiment(3, 2, GradientSource::kIndexCoded);
  e.parameters = {{"none", {0, 4}, 0}, {"one", {}, 1}, {"none too", {0}, 1}};
  EXPECT_EQ(TrainByTree(e)[0].parameter[1].size(), 1u);
  e.parameters.erase(e.parameters.begin() + 1);
  EXPECT_EQ(TrainByTree(e)[0].grad_norm, 0.0f);
}

std::string ErrorOf(const Experiment& e, const ReductionOrder& order) {
  try {
    Trainer(e, order, HostOps());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Trainer, RefusesWhatIsNoExperimentOrNoOrder) {
  Experiment e = MakeExperiment(3, 1);
  const Fold fold = RankFold(3, 1);
  EXPECT_EQ(ErrorOf(e, {{{0, 4, fold}}}), "reduction order: expected ranges up to element 5, got 4");
  EXPECT_EQ(ErrorOf(e, {{{0, 2, fold}, {3, 5, fold}}}),
            "reduction order: expected a range from element 2 on, got [3, 5)");
  EXPECT_EQ(ErrorOf(e, {{{0, 5, RankFold(4, 1)}}}), "reduction order: expected leaves from 0 to 2, got 3");
  e.steps = 0;
  EXPECT_EQ(ErrorOf(e, {{{0, 5, fold}}}), "steps: expected 1 or more, got 0");
}

}  // namespace
}  // namespace zerocts
