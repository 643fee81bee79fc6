#include "conformance/host/rank/quadratic_loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases/inputs/given_gradient.hpp"
#include "conformance/host/rank/case_inputs.hpp"

namespace zerocts {
namespace {

class QuadraticLossTest : public testing::Test {
 protected:
  static Case MakeCase() {
    Case c;
    c.experiment.parameters = {{"a", {2}, 0}, {"b", {1}, 0}};
    c.experiment.curvature = 1;
    return c;
  }

  /// The gradient of a as the subject reads it.
  float gradient() const { return static_cast<const float*>(inputs_.gradients()[0])[1]; }

  void Forward(uint32_t p, std::vector<float> values) {
    loss_.table()->forward(loss_.table()->context, p, values.data());
  }
  void Backward(uint32_t p, std::vector<float> values) {
    loss_.table()->backward(loss_.table()->context, p, values.data());
  }
  void PassBoth(uint32_t p, const std::vector<float>& values) {
    Forward(p, values);
    Backward(p, values);
  }
  /// The first breach.
  std::string Broken() {
    loss_.EndMicroBatch();
    return broken_.empty() ? "" : broken_.front();
  }

  const Case case_ = MakeCase();
  RankPage page_{""};
  CaseInputs inputs_{case_, 0, page_};
  std::vector<std::string> broken_;
  QuadraticLoss loss_{case_, (inputs_.GiveGradients(0, 0), inputs_),
                      [this](const std::string& what) { broken_.push_back(what); }};
};

TEST_F(QuadraticLossTest, FillsInTheGradientWhenBackwardComes) {
  std::vector<float> linear(2);
  FillGivenGradient(case_, 0, 0, 0, linear.data());
  EXPECT_TRUE(std::isnan(gradient())) << "a subject that does not ask has nothing to train on";
  Forward(0, {5, 7});
  EXPECT_TRUE(std::isnan(gradient()));
  Backward(0, {5, 7});
  EXPECT_EQ(gradient(), linear[1] + 7);
  PassBoth(1, {1});
  EXPECT_EQ(Broken(), "");
}

TEST_F(QuadraticLossTest, FindsThatASubjectDidNotAsk) {
  PassBoth(1, {1});
  EXPECT_TRUE(Broken().starts_with("did not ask the loss for the gradient of parameter 0")) << Broken();
}

TEST_F(QuadraticLossTest, FindsBackwardWithoutForward) {
  Backward(0, {5, 7});
  EXPECT_TRUE(Broken().starts_with("called backward of the loss before forward for parameter 0")) << Broken();
}

TEST_F(QuadraticLossTest, FindsAPassThatComesTwice) {
  PassBoth(0, {5, 7});
  Forward(0, {5, 7});
  EXPECT_TRUE(Broken().starts_with("called forward of the loss twice for parameter 0")) << Broken();
}

TEST_F(QuadraticLossTest, FindsAParameterThatIsNotThere) {
  PassBoth(2, {5});
  EXPECT_TRUE(Broken().starts_with("called forward of the loss for parameter 2 of 2")) << Broken();
}

TEST_F(QuadraticLossTest, FindsValuesThatAreNotThere) {
  loss_.table()->forward(loss_.table()->context, 0, nullptr);
  EXPECT_TRUE(Broken().starts_with("called forward of the loss without values of parameter 0")) << Broken();
}

}  // namespace
}  // namespace zerocts
