#include "reference/optim/loss_scale.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace zerocts {
namespace {

/// The scale after each step of a pattern in which x is an overflow.
std::vector<float> Scales(const LossScaling& scaling, const std::string& pattern) {
  LossScaleState state = InitialLossScale(scaling);
  std::vector<float> scales;
  for (const char mark : pattern) {
    state = NextLossScale(scaling, state, mark == 'x');
    scales.push_back(state.scale);
  }
  return scales;
}

LossScaling Dynamic() {
  return {.kind = LossScaleKind::kDynamic, .scale = 8.0f, .growth_interval = 2, .minimum = 1.0f};
}

TEST(LossScale, GrowsAfterAnIntervalOfGoodStepsAndBacksOffAtOverflow) {
  EXPECT_EQ(Scales(Dynamic(), "...x...x"), (std::vector<float>{8, 16, 16, 8, 8, 16, 16, 8}));
}

TEST(LossScale, UsesItsFactors) {
  LossScaling scaling = Dynamic();
  scaling.growth_factor = 4.0f;
  scaling.backoff_factor = 0.25f;
  EXPECT_EQ(Scales(scaling, "..x"), (std::vector<float>{8, 32, 8}));
}

TEST(LossScale, StopsAtItsMinimumAndAtTheLargestFloat) {
  EXPECT_EQ(Scales(Dynamic(), "xxxxx"), (std::vector<float>{4, 2, 1, 1, 1}));
  LossScaling scaling = Dynamic();
  scaling.scale = 0x1p126f;
  EXPECT_EQ(Scales(scaling, "......"),
            (std::vector<float>{0x1p126f, 0x1p127f, 0x1p127f, 0x1p127f, 0x1p127f, 0x1p127f}));
}

TEST(LossScale, BearsAsManyOverflowsAsItsHysteresisUntilItGrows) {
  LossScaling scaling = Dynamic();
  scaling.hysteresis = 3;
  EXPECT_EQ(Scales(scaling, "xxxx"), (std::vector<float>{8, 8, 4, 2}));
  EXPECT_EQ(Scales(scaling, "xx.xx"), (std::vector<float>{8, 8, 8, 4, 2}));             // one good step changes nothing
  EXPECT_EQ(Scales(scaling, "xx..xxx"), (std::vector<float>{8, 8, 8, 16, 16, 16, 8}));  // growth renews it
}

TEST(LossScale, RenewsItsHysteresisAtEveryGoodStepWhenAsked) {
  LossScaling scaling = Dynamic();
  scaling.hysteresis = 2;
  scaling.renew_hysteresis = true;
  EXPECT_EQ(Scales(scaling, "x.x.xx"), (std::vector<float>{8, 8, 8, 8, 8, 4}));
}

TEST(LossScale, StaysWhenStaticAndIsOneWithout) {
  LossScaling scaling = Dynamic();
  scaling.kind = LossScaleKind::kStatic;
  EXPECT_EQ(Scales(scaling, "..x"), (std::vector<float>{8, 8, 8}));
  EXPECT_TRUE(SkipsOverflow(scaling));
  scaling.kind = LossScaleKind::kNone;
  EXPECT_EQ(Scales(scaling, "..x"), (std::vector<float>{1, 1, 1}));
  EXPECT_FALSE(SkipsOverflow(scaling));
}

TEST(LossScale, IsUndoneByItsReciprocalRoundedOnce) {
  EXPECT_EQ(UnscaleFactor({.scale = 8.0f}), 0.125f);
  EXPECT_EQ(UnscaleFactor({.scale = 3.0f}), 0x1.555556p-2f);
  EXPECT_EQ(UnscaleFactor({.scale = 0x1p127f}), 0x1p-127f);  // subnormal
}

TEST(LossScaleNames, ReadBack) {
  for (const auto kind : {LossScaleKind::kNone, LossScaleKind::kStatic, LossScaleKind::kDynamic}) {
    EXPECT_EQ(LossScaleKindFromString(ToString(kind)), kind);
  }
  EXPECT_THROW(LossScaleKindFromString("auto"), std::invalid_argument);
}

}  // namespace
}  // namespace zerocts
