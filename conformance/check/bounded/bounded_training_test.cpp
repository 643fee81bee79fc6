#include "conformance/check/bounded/bounded_training.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/cases/inputs/gradient_norm.hpp"
#include "conformance/check/for_test/any_fp32.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

/// Largest share of a bound that is used.
struct Shares {
  double losses = 0.0, gradient = 0.0, parameter = 0.0, norm = 0.0, coefficient = 0.0;

  void Include(const BoundedStep& bound, const WalkedStep<AnyFp32>& got) {
    Include(bound.losses, got.losses, losses);
    for (size_t p = 0; p < bound.gradient.size(); ++p) Include(bound.gradient[p], got.gradient[p], gradient);
    for (size_t p = 0; p < bound.parameter.size(); ++p) Include(bound.parameter[p], got.parameter[p], parameter);
    Include({bound.clipping.norm}, {got.clipping.norm}, norm);
    Include({bound.clipping.coefficient}, {got.clipping.coefficient}, coefficient);
  }
  double largest() const { return std::max({losses, gradient, parameter, norm, coefficient}); }

 private:
  static void Include(const std::vector<Bounded>& expected, const std::vector<AnyFp32>& got, double& share) {
    for (size_t i = 0; i < expected.size(); ++i) {
      const double away = std::fabs(got[i].value - expected[i].value);
      if (away > 0) share = std::fmax(share, away / expected[i].error);
    }
  }
};

TEST(BoundedTraining, HoldsForAnyFp32EvaluationAndIsNotLoose) {
  constexpr int kCases = 50, kEvaluationsEach = 20;
  Shares smallest_of_cases{1.0, 1.0, 1.0}, largest;
  for (int i = 0; i < kCases; ++i) {
    const Experiment e = BoundedCase(i % 4 + 1, static_cast<uint64_t>(i)).experiment;
    const std::vector<BoundedStep> bounds = BoundedTraining(e);
    const TextCorpus text = TextCorpus::LoadFor(e);
    Shares of_case;
    for (int evaluation = 0; evaluation < kEvaluationsEach; ++evaluation) {
      AnyFp32::random.seed(static_cast<unsigned>(i * kEvaluationsEach + evaluation));
      TrainingWalk<AnyFp32> walk(e, text);
      for (int64_t step = 0; step < e.steps; ++step) {
        of_case.Include(bounds[static_cast<size_t>(step)], walk.Step(step));
        ASSERT_LE(of_case.largest(), 1.0) << "case " << i << " evaluation " << evaluation << " step " << step;
      }
    }
    for (double Shares::*share : {&Shares::losses, &Shares::gradient, &Shares::parameter}) {
      largest.*share = std::fmax(largest.*share, of_case.*share);
      smallest_of_cases.*share = std::fmin(smallest_of_cases.*share, of_case.*share);
    }
  }
  RecordProperty("largest_shares",
                 fmt::format("{:.2g} {:.2g} {:.2g}", largest.losses, largest.gradient, largest.parameter));
  EXPECT_GT(smallest_of_cases.losses,
            1e-3);  // in every case one of the elements comes within a thousandth of its bound
  EXPECT_GT(smallest_of_cases.gradient, 1e-3);
  EXPECT_GT(smallest_of_cases.parameter, 1e-3);
}

constexpr int kClippedCases = 3 * 6 * 4;  // each norm by each formula at each ratio

/// By the i-th pair of a norm and a formula, at, above, below and far below the norm of the first step.
Experiment ClippedCase(int i) {
  constexpr NormKind kNorms[] = {NormKind::kTwo, NormKind::kOne, NormKind::kInfinity};
  constexpr ClipFormula kFormulas[] = {ClipFormula::kMin,           ClipFormula::kTorch,
                                       ClipFormula::kAbove,         ClipFormula::kDeepSpeed,
                                       ClipFormula::kDeepSpeedFp64, ClipFormula::kDeepSpeedReciprocal};
  constexpr float kRatios[] = {1.0f, 2.0f, 0.5f, 0x1p-10f};
  Experiment e = BoundedCase(i % 4 + 1, static_cast<uint64_t>(i)).experiment;
  e.clip_norm = kNorms[i % 3];
  e.clip_formula = kFormulas[(i / 3) % 6];
  e.max_norm = kRatios[(i / 18) % 4] * KnownGradientNorm(e);
  return e;
}

TEST(BoundedTraining, HoldsForAnyFp32EvaluationOfEveryNormAndFormula) {
  constexpr int kEvaluationsEach = 5;
  Shares largest;
  for (int i = 0; i < kClippedCases; ++i) {
    const Experiment e = ClippedCase(i);
    const std::vector<BoundedStep> bounds = BoundedTraining(e);
    const TextCorpus text = TextCorpus::LoadFor(e);
    for (int evaluation = 0; evaluation < kEvaluationsEach; ++evaluation) {
      AnyFp32::random.seed(static_cast<unsigned>(i * kEvaluationsEach + evaluation));
      TrainingWalk<AnyFp32> walk(e, text);
      for (int64_t step = 0; step < e.steps; ++step)
        largest.Include(bounds[static_cast<size_t>(step)], walk.Step(step));
      ASSERT_LE(largest.largest(), 1.0) << "case " << i << " evaluation " << evaluation;
    }
  }
  RecordProperty("largest_shares", fmt::format("{:.2g} {:.2g}", largest.norm, largest.coefficient));
  EXPECT_GT(largest.norm, 1e-3);
  EXPECT_GT(largest.coefficient, 1e-3);
}

/// So that no wrong norm hides: of two rows counted twice, or one left out, the norm is off by far more.
TEST(BoundedTraining, BoundsNormsTightly) {
  for (int i = 0; i < kClippedCases; ++i) {
    const Experiment e = ClippedCase(i);
    for (const BoundedStep& step : BoundedTraining(e)) {
      EXPECT_LT(step.clipping.norm.error, 1e-3 * step.clipping.norm.value) << i;
      EXPECT_LT(step.clipping.coefficient.error, 1e-3 * step.clipping.coefficient.value) << i;
    }
  }
}

TEST(BoundedTraining, CarriesTheErrorOfParametersIntoTheNextStep) {
  Experiment e = BoundedCase(3, 1).experiment;
  e.steps = 3;
  const std::vector<BoundedStep> steps = BoundedTraining(e);
  for (size_t step = 1; step < steps.size(); ++step) {
    double before = 0.0, after = 0.0;
    for (const Bounded& x : steps[step - 1].gradient[1]) before += x.error;
    for (const Bounded& x : steps[step].gradient[1]) after += x.error;
    EXPECT_GT(after, before) << step;
  }
}

TEST(BoundedTraining, SaysWhatItCannotWalk) {
  const Experiment walked = BoundedCase(2, 1).experiment;
  const auto sentence = [&](auto change) {
    Experiment e = walked;
    change(e);
    return BeyondBoundedTraining(e);
  };
  EXPECT_EQ(sentence([](Experiment&) {}), "");
  EXPECT_EQ(sentence([](Experiment& e) { e.optimizer = OptimizerKind::kAdamW; }), "");
  EXPECT_EQ(sentence([](Experiment& e) { e.model = GptSpec{}; }), "bounded training: expected the model mlp");
  EXPECT_EQ(sentence([](Experiment& e) { e.gradients = GradientSource::kUniform; }),
            "bounded training: expected gradients of a model");
  EXPECT_EQ(sentence([](Experiment& e) { e.optimizer = OptimizerKind::kLamb; }),
            "bounded training: expected sgd, adam or adamw, got lamb");
  EXPECT_EQ(sentence([](Experiment& e) { e.precision = Precision::kBf16; }),
            "bounded training: expected all numbers in fp32");
  EXPECT_EQ(sentence([](Experiment& e) {
              e.roles.frozen = {{0, 0, 1}};
            }),
            "bounded training: expected no roles and no loss scaling");
  EXPECT_EQ(sentence([](Experiment& e) {
              e.model = GptSize("gpt2-124m"), e.batch = int64_t{1} << 40;
            }).find("bounded training: expected at most 2.7e+08"),
            0);
}

TEST(BoundedTraining, RefusesAnInfiniteBound) {
  Experiment e = BoundedCase(1, 1).experiment;
  e.steps = 3;
  for (HyperParameters& h : e.groups) h.lr = 1e30f;
  EXPECT_THROW(BoundedTraining(e), std::runtime_error);
}

}  // namespace
}  // namespace zerocts
