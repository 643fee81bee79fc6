// Loss scales, and steps that are skipped because a gradient is not finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/train/by_hand_for_test.hpp"
#include "reference/train/text_experiment_for_test.hpp"
#include "reference/train/trace.hpp"

namespace zerocts {
namespace {

TEST(Semantics, AScaleThatIsAPowerOfTwoChangesNoBit) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    Experiment e = MakeExperiment();
    e.precision = precision;
    e.world_size = 3;
    e.max_norm = 0.5f;
    const std::vector<StepTrace> plain = TrainByRank(e);
    e.loss_scaling = {.kind = LossScaleKind::kStatic, .scale = 1024.0f};
    const std::vector<StepTrace> scaled = TrainByRank(e);
    for (size_t s = 0; s < plain.size(); ++s) {
      EXPECT_EQ(TensorHashes(e, scaled[s]), TensorHashes(e, plain[s]));
      EXPECT_EQ(scaled[s].grad_norm, plain[s].grad_norm);
      EXPECT_EQ(scaled[s].loss_scale, 1024.0f);
      EXPECT_FALSE(scaled[s].skipped);
    }
  }
}

TEST(Semantics, AScaleIsMultipliedAndDividedWithOneRoundingEach) {
  Experiment e = MakeExperiment(1);
  e.loss_scaling = {.kind = LossScaleKind::kStatic, .scale = 3.0f};
  const StepTrace trace = TrainByRank(e)[0];
  const std::vector<float> given = GradientOf(e, 0, 0, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(trace.gradient[0][i], (3.0f * given[i]) * (1.0f / 3.0f));
}

TEST(Semantics, OverflowSkipsTheStepAndMovesTheScale) {
  for (const NormKind norm : {NormKind::kOne, NormKind::kTwo, NormKind::kInfinity}) {
    Experiment e = MakeExperiment(8);
    e.clip_norm = norm;
    e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 8.0f, .growth_interval = 2, .minimum = 1.0f};
    e.world_size = 2;
    // inf, nan, and infinities of both signs, in another parameter each time
    e.planted = {{1, 1, 0, 2, NonFinite::kInfinity},
                 {4, 0, 1, 0, NonFinite::kNan},
                 {6, 0, 0, 1, NonFinite::kInfinity},
                 {6, 1, 0, 1, NonFinite::kMinusInfinity}};
    const std::vector<float> scales = {8, 8, 4, 4, 8, 4, 4, 2};
    ByHand a(e, 0), b(e, 1);
    for (const StepTrace& trace : TrainByRank(e)) {
      const bool overflow = trace.step == 1 || trace.step == 4 || trace.step == 6;
      const std::string where = "step " + std::to_string(trace.step);
      EXPECT_EQ(trace.skipped, overflow) << where;
      EXPECT_EQ(trace.loss_scale, scales[trace.step]) << where;
      EXPECT_EQ(std::isnan(trace.grad_norm), overflow) << where;
      if (!overflow) {
        a.Step(trace.gradient[0]);
        b.Step(trace.gradient[1]);
      }
      ExpectState(trace, 0, a, where);  // a skipped step is not counted: the corrections of the next one are its own
      ExpectState(trace, 1, b, where);
    }
  }
}

TEST(Semantics, WithoutLossScalingAValueThatIsNotFiniteIsTaken) {
  Experiment e = MakeExperiment(1);
  e.planted = {{0, 0, 0, 1, NonFinite::kNan}};
  const StepTrace unclipped = TrainByRank(e)[0];
  EXPECT_FALSE(unclipped.skipped);
  EXPECT_TRUE(std::isnan(unclipped.grad_norm));
  EXPECT_EQ(unclipped.clip_coefficient, 1.0f);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(std::isnan(unclipped.master[0][i]), i == 1);
    EXPECT_FALSE(std::isnan(unclipped.master[1][i]));
  }
  e.max_norm = 1.0f;
  const StepTrace clipped = TrainByRank(e)[0];
  EXPECT_TRUE(std::isnan(clipped.clip_coefficient));
  for (int p = 0; p < 2; ++p) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(clipped.master[p][i]));
  }
}

// A loss scale that is far too large finds its way down, and the training that follows is the plain one's.
TEST(Semantics, TheScaleOfAModelBacksOffUntilGradientsAreFinite) {
  const TemporaryText text(kText);
  Experiment e = TextExperiment(text);
  e.steps = 8;
  e.initial = InitialValues::kUniform;  // weights so large that scaled gradients overflow
  e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 0x1p127f, .backoff_factor = 0x1p-30f};
  const std::vector<StepTrace> steps = TrainByRank(e);
  const auto skipped = std::ranges::count_if(steps, &StepTrace::skipped);
  EXPECT_GT(skipped, 0);
  EXPECT_LT(skipped, 8);
  for (size_t s = 0; s < steps.size(); ++s) {
    EXPECT_EQ(steps[s].skipped, static_cast<int64_t>(s) < skipped);
    EXPECT_EQ(steps[s].loss_scale, std::ldexp(1.0f, 127 - 30 * static_cast<int>(std::min<int64_t>(s, skipped))));
  }
  EXPECT_FALSE(std::isnan(steps.back().mean_loss()));
}

}  // namespace
}  // namespace zerocts
