#include "conformance/check/bounded/bounded_losses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/check/for_test/any_fp32.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

Experiment Mlp(OptimizerKind optimizer, Precision precision) {
  Experiment e = BoundedCase(2, 3).experiment;
  e.steps = 3;
  e.precision = precision;
  e.optimizer = optimizer;
  for (HyperParameters& group : e.groups) group.lr = 0x1p-7f;
  return e;
}

Experiment Gpt(bool tied, OptimizerKind optimizer, Precision precision) {
  Experiment e = Mlp(optimizer, precision);
  e.model = GptSpec{.vocab = 13, .context = 3, .layers = 2, .heads = 4, .kv_heads = 2, .width = 8, .tied = tied};
  e.parameters = ModelParameters(*e.model);
  return e;
}

constexpr int kEvaluations = 20;

double LargestShare(const std::vector<Bounded>& bounds, const std::vector<AnyFp32>& got) {
  EXPECT_EQ(bounds.size(), got.size());
  double largest = 0;
  for (size_t g = 0; g < bounds.size(); ++g) largest = std::max(largest, ShareOfBound(bounds[g], got[g].value));
  return largest;
}

/// The largest share of their bounds that evaluations of all steps use.
double ShareOf(const Experiment& e) {
  BoundedLosses bounds(e);
  std::vector<std::vector<Bounded>> expected;
  for (int64_t step = 0; step < e.steps; ++step) expected.push_back(bounds.Step());
  const TextCorpus text = TextCorpus::LoadFor(e);
  double largest = 0;
  for (int evaluation = 0; evaluation < kEvaluations; ++evaluation) {
    AnyFp32::random.seed(static_cast<unsigned>(evaluation));
    TrainingWalk<AnyFp32> walk(e, text);
    for (int64_t step = 0; step < e.steps; ++step) {
      largest = std::max(largest, LargestShare(expected[static_cast<size_t>(step)], walk.Step(step).losses));
    }
  }
  return largest;
}

std::vector<AnyFp32> FirstLossesOf(const Experiment& e, const TextCorpus& text) {
  const TrainingWalk<AnyFp32> walk(e, text);
  const auto parameters = oracle::ChainParameters(*e.model, walk.Parameters(e.precision));
  std::vector<AnyFp32> losses;
  for (int64_t g = 0; g < walk.MicroBatches(); ++g) {
    losses.push_back(MeanLoss(e, ChainOf(e, text, 0, g).Forward(parameters, {})));
  }
  return losses;
}

/// The same of the first losses.
double ShareOfFirst(const Experiment& e) {
  const std::vector<Bounded> bounds = BoundedLosses(e).Step();
  const TextCorpus text = TextCorpus::LoadFor(e);
  double largest = 0;
  for (int evaluation = 0; evaluation < kEvaluations; ++evaluation) {
    AnyFp32::random.seed(static_cast<unsigned>(evaluation));
    largest = std::max(largest, LargestShare(bounds, FirstLossesOf(e, text)));
  }
  return largest;
}

/// Relative.
double LargestBound(const Experiment& e, int64_t step) {
  BoundedLosses bounds(e);
  for (int64_t earlier = 0; earlier < step; ++earlier) bounds.Step();
  double largest = 0;
  for (const Bounded& loss : bounds.Step()) largest = std::max(largest, loss.error / loss.value);
  return largest;
}

TEST(BoundedLosses, AreThoseOfBoundedTrainingWhileThatSaysSomething) {
  const Experiment e = BoundedCase(2, 3).experiment;
  BoundedLosses losses(e);
  for (const BoundedStep& step : BoundedTraining(e)) {
    const std::vector<Bounded> got = losses.Step();
    ASSERT_EQ(got.size(), step.losses.size());
    EXPECT_EQ(got.front().value, step.losses.front().value);
    EXPECT_EQ(got.front().error, step.losses.front().error);
  }
}

constexpr OptimizerKind kWalked[] = {OptimizerKind::kSgd, OptimizerKind::kAdam, OptimizerKind::kAdamW};

TEST(BoundedLosses, OfAnMlpHoldForAnyEvaluation) {
  for (const OptimizerKind optimizer : kWalked) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      const double share = ShareOf(Mlp(optimizer, precision));
      EXPECT_LE(share, 1.0) << ToString(optimizer) << " " << ToString(precision);
      EXPECT_GT(share, 0.01) << ToString(optimizer) << " " << ToString(precision);
    }
  }
}

TEST(BoundedLosses, OfAGptHoldForAnyEvaluationBeforeAnUpdate) {
  for (const bool tied : {false, true}) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
      const double share = ShareOfFirst(Gpt(tied, OptimizerKind::kAdamW, precision));
      EXPECT_LE(share, 1.0) << tied << " " << ToString(precision);
      EXPECT_GT(share, 1e-3) << tied << " " << ToString(precision);
    }
  }
}

TEST(BoundedLosses, AreNotLoose) {
  const auto expect_below = [](double most, const Experiment& e, int64_t step) {
    const double bound = LargestBound(e, step);
    EXPECT_GT(bound, 0) << ToString(e.optimizer) << " " << step;
    EXPECT_LT(bound, most) << ToString(e.optimizer) << " " << step;
  };
  for (int64_t step = 0; step < 3; ++step) {
    expect_below(1e-5, Mlp(OptimizerKind::kSgd, Precision::kFp32), step);
    expect_below(0.01, Mlp(OptimizerKind::kSgd, Precision::kBf16), step);
    for (const OptimizerKind adam : {OptimizerKind::kAdam, OptimizerKind::kAdamW}) {
      expect_below(1e-3, Mlp(adam, Precision::kFp32), step);
    }
  }
  expect_below(0.1, Mlp(OptimizerKind::kAdamW, Precision::kBf16), 1);
  expect_below(1e-4, Gpt(true, OptimizerKind::kAdamW, Precision::kFp32), 0);
  expect_below(0.15, Gpt(true, OptimizerKind::kAdamW, Precision::kBf16), 0);
}

TEST(BoundedLosses, EndWhereNoneIsDerived) {
  BoundedLosses gpt(Gpt(true, OptimizerKind::kSgd, Precision::kFp32)),
      lamb(Mlp(OptimizerKind::kLamb, Precision::kBf16));
  EXPECT_FALSE(gpt.Step().empty());
  EXPECT_TRUE(gpt.Step().empty());
  EXPECT_EQ(gpt.Beyond(), "for a bound behind an update: expected the model mlp");
  EXPECT_FALSE(lamb.Step().empty());
  EXPECT_EQ(lamb.Beyond(), "for a bound behind an update: expected sgd, adam or adamw, got lamb");
  EXPECT_LE(ShareOfFirst(Mlp(OptimizerKind::kLamb, Precision::kBf16)), 1.0);
}

TEST(BoundedLosses, NoNumberIsTooFar) { EXPECT_GT(ShareOfBound({5.5, 0.1}, NAN), 1.0); }

}  // namespace
}  // namespace zerocts
