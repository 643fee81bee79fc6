#include "conformance/check/bounded/optimizer_walk.hpp"

#include <gtest/gtest.h>

#include <random>

namespace zerocts {
namespace {

using Number = RunningError<4>;

/// Moments that gradients may leave, and errors of up to twice their size.
class AnyElement {
 public:
  explicit AnyElement(unsigned seed) : random_(seed) {
    const int updates = std::uniform_int_distribution(1, 5)(random_);
    constants_ = AdamConstants({}, updates);
    for (int update = 1; update < updates; ++update) {
      const double g = Gradient();
      first_.value = constants_.First(first_.value, g);
      second_.value = constants_.Second(second_.value, g);
    }
    gradient_.value = Gradient();
    for (Number* x : {&first_, &second_, &gradient_}) x->error = std::fabs(x->value) * std::exp2(Uniform(-20, 1));
  }

  Number Step() const { return AdamStep(constants_, first_, second_, gradient_); }
  /// One step, of moments and a gradient within their errors, at their ends as often as not. None is beyond what
  /// gradients leave.
  double OneStep() {
    const double first = Within(first_), second = std::fmax(0.0, Within(second_)), gradient = Within(gradient_);
    return AdamStep(constants_, first, second, gradient);
  }

 private:
  double Uniform(double least, double most) { return std::uniform_real_distribution(least, most)(random_); }
  double Gradient() { return std::copysign(std::exp2(Uniform(-40, 0)), Uniform(-1, 1)); }
  double Within(const Number& x) {
    const double share = Uniform(-2, 2);
    return x.value + x.error * std::fmax(-1.0, std::fmin(1.0, share));
  }

  std::mt19937 random_;
  AdamConstants constants_{{}, 1};
  Number first_, second_, gradient_;
};

TEST(AdamStep, HasABoundThatHoldsAndIsNotLoose) {
  constexpr unsigned kElements = 5000;
  constexpr int kStepsEach = 100;
  unsigned nearly_reached = 0;
  for (unsigned seed = 0; seed < kElements; ++seed) {
    AnyElement element(seed);
    const Number bound = element.Step();
    double furthest = 0;
    for (int i = 0; i < kStepsEach; ++i) furthest = std::fmax(furthest, std::fabs(element.OneStep() - bound.value));
    ASSERT_LE(furthest, bound.error) << seed;
    nearly_reached += furthest > 0.25 * bound.error;
  }
  EXPECT_GT(nearly_reached, kElements / 4);
}

TEST(AdamStep, OfAFirstGradientIsOneWhateverItIs) {
  const AdamConstants first({}, 1);
  const Number known = AdamStep(first, Number(0.0), Number(0.0), Number(1.0, 0.5));
  EXPECT_NEAR(known.value, 1.0, 1e-6);
  EXPECT_LT(known.error, 1e-3);
  const Number of_any_sign = AdamStep(first, Number(0.0), Number(0.0), Number(1e-3, 2e-3));
  EXPECT_GE(of_any_sign.error, 1.99);
  EXPECT_LT(of_any_sign.error, 2.01);
}

TEST(AdamStep, OfNoGradientIsNone) {
  const AdamConstants first({}, 1);
  const Number none = AdamStep(first, Number(0.0), Number(0.0), Number(0.0));
  EXPECT_EQ(none.value, 0.0);
  EXPECT_LT(none.error, 1e-30);
}

}  // namespace
}  // namespace zerocts
