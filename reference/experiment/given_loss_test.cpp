#include "reference/experiment/given_loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/experiment/experiment.hpp"

namespace zerocts {
namespace {

std::vector<float> Gradient(float curvature, std::vector<float> g, const std::vector<float>& forward,
                            const std::vector<float>& backward) {
  AddCurvature(curvature, forward.data(), backward.data(), std::ssize(g), g.data());
  return g;
}

TEST(GivenLoss, IsTheGradientOfTheQuadraticForm) {
  const std::vector<float> p = {0.1f, -3.0f, 0x1p-30f};
  EXPECT_EQ(Gradient(0.5f, {1, 2, 3}, p, p), (std::vector{1 + 0.05f, 0.5f, 3.0f}));
}

TEST(GivenLoss, HasNothingOfElementsWithoutAGradient) {
  EXPECT_EQ(Gradient(1, {0, 4}, {5, 5}, {5, 5}), (std::vector<float>{0, 9}));
}

TEST(GivenLoss, ShowsWhereForwardAndBackwardHadOtherValues) {
  EXPECT_EQ(Gradient(1, {4, 4}, {2, 6}, {6, 2}), (std::vector<float>{8, 8}));
  EXPECT_EQ(Gradient(1, {4}, {2}, {2}), std::vector<float>{6});
}

TEST(GivenLoss, ShowsPoisonInEveryElement) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float g : {0.0f, 1.0f}) {
    EXPECT_TRUE(std::isnan(Gradient(1, {g}, {nan}, {1})[0]));
    EXPECT_TRUE(std::isnan(Gradient(1, {g}, {1}, {nan})[0]));
  }
}

TEST(GivenLoss, IsRoundedToThePrecisionOfItsParameter) {
  Experiment e{.parameters = {{.name = "a", .shape = {1}}}, .precision = Precision::kBf16, .curvature = 1};
  float gradient = 1;
  const float p = 0x1p-9f;
  AddCurvature(e, 0, &p, &p, &gradient);
  EXPECT_EQ(gradient, 1);
  e.precision = Precision::kFp32;
  AddCurvature(e, 0, &p, &p, &gradient);
  EXPECT_EQ(gradient, 1 + p);
}

}  // namespace
}  // namespace zerocts
