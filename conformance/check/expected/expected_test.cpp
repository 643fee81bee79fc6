#include "conformance/check/expected/expected.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "conformance/cases/inputs/input_hash.hpp"
#include "conformance/check/expected/expected_tensor.hpp"
#include "conformance/check/for_test/perfect_observation.hpp"
#include "conformance/check/for_test/test_cases.hpp"

namespace zerocts {
namespace {

Case UniformCase(const std::string& order, int stage = 1) {
  Case c = SmallCase();
  c.experiment.gradients = GradientSource::kUniform;
  c.reduction_order = order;
  c.stage = stage;
  return c;
}

std::string Text(const ReductionOrder& order) {
  std::string text;
  for (const OrderedRange& range : order.ranges) {
    text += "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")" + ToString(range.fold) + " ";
  }
  return text;
}

TEST(OrderOf, NamedRules) {
  const Ownership owned = ContiguousOwnership(SmallCase());
  EXPECT_EQ(Text(OrderOf(UniformCase("rank"), owned)), "[0,11)(((0+1)+(2+3))+(4+5)) ");
  EXPECT_EQ(Text(OrderOf(UniformCase("tree"), owned)), "[0,11)(((0+1)+(2+3))+(4+5)) ");
  EXPECT_EQ(
      Text(OrderOf(UniformCase("ring"), owned)),
      "[0,4)(((2+3)+(4+5))+(0+1)) [4,5)(((4+5)+(0+1))+(2+3)) [5,8)(((4+5)+(0+1))+(2+3)) [8,11)(((0+1)+(2+3))+(4+5)) ");
}

TEST(OrderOf, OnAMeshAndAfterEachMicroBatch) {
  Case c = SemanticsCase();
  c.experiment.micro_batches = 1;
  c.experiment.gradients = GradientSource::kUniform;
  c.experiment.planted.clear();
  const Ownership owned = ContiguousOwnership(c);
  c.reduction_order = "rank";
  EXPECT_EQ(Text(OrderOf(c, owned)), "[0,18)(((0+1)+2)+((3+4)+5)) ");
  EXPECT_EQ(OrderOf(c, owned).sync, GradientSync::kEveryMicroBatch);
  c.reduction_order = "ring";  // a, the buffer, b in two shards, the tied name, c
  EXPECT_EQ(Text(OrderOf(c, owned)),
            "[0,4)(((1+2)+0)+((4+5)+3)) [4,7)(((1+2)+0)+((4+5)+3)) [7,11)(((2+0)+1)+((5+3)+4)) "
            "[11,12)(((0+1)+2)+((3+4)+5)) [12,16)(((1+2)+0)+((4+5)+3)) [16,18)(((0+1)+2)+((3+4)+5)) ");
  c.reduction_order = "tree";
  c.experiment.micro_batches = 2;
  EXPECT_EQ(Text(OrderOf(c, owned)), "[0,18)((((0+2)+4)+((6+8)+10))+(((1+3)+5)+((7+9)+11))) ");
  c.gradient_sync = GradientSync::kLastMicroBatch;
  EXPECT_EQ(Text(OrderOf(c, owned)), "[0,18)((((0+1)+(2+3))+(4+5))+(((6+7)+(8+9))+(10+11))) ");
}

TEST(OrderOf, RoundedSumsShowTheOrderOfExactInputs) {
  Case c = SmallCase();
  c.experiment.reduction = Precision::kBf16;
  EXPECT_THROW(OrderOf(c, {}), std::invalid_argument);
  c.reduction_order = "ring";
  EXPECT_EQ(OrderOf(c, ContiguousOwnership(c)).ranges.size(), 4u);
}

TEST(OrderOf, ExactInputsNeedNoName) { EXPECT_EQ(Text(OrderOf(SmallCase(), {})), "[0,11)(((0+1)+(2+3))+(4+5)) "); }

TEST(OrderOf, RefusesWhatHasNoOrder) {
  const Ownership owned = ContiguousOwnership(SmallCase());
  EXPECT_THROW(OrderOf(UniformCase("any"), owned), std::invalid_argument);
  EXPECT_THROW(OrderOf(UniformCase("ring", 0), owned), std::invalid_argument);
  Ownership gap = owned;
  gap[1][3].clear();
  EXPECT_THROW(OrderOf(UniformCase("ring"), gap), std::invalid_argument);
  Ownership twice = owned;
  twice[0][3] = {{0, 6}};
  EXPECT_THROW(OrderOf(UniformCase("ring"), twice), std::invalid_argument);
}

TEST(ExpectedOf, HoldsAllStepsAndInputs) {
  const Case c = SmallCase();
  const Expected expected = ExpectedOf(c, OrderOf(c, {}));
  ASSERT_EQ(expected.steps.size(), 2u);
  ASSERT_EQ(expected.input_hashes.size(), 3u);
  EXPECT_EQ(expected.input_hashes[2], InputHash(c, 2));
  EXPECT_EQ(expected.initial_master.size(), 4u);
  EXPECT_EQ(expected.steps[1].moment2[3].size(), 6u);
  EXPECT_LT(expected.steps[0].clip_coefficient, 1.0f);
}

TEST(ExpectedTensors, EachNameAtEachMoment) {
  const Case c = SmallCase();
  const Expected expected = ExpectedOf(c, OrderOf(c, {}));
  const ExpectedTensors tensors(c.experiment, expected);
  const auto same = [](std::span<const float> got, const std::vector<float>& wanted) {
    return std::vector<float>(got.begin(), got.end()) == wanted;
  };
  const std::vector<float> zeros(6);
  for (const char* read : {"parameter", "parameter_again"}) {
    EXPECT_TRUE(same(tensors.Of(read, -1, 3), expected.initial_parameter[3])) << read;
    EXPECT_TRUE(same(tensors.Of(read, 1, 3), expected.steps[1].parameter[3])) << read;
  }
  EXPECT_TRUE(same(tensors.Of("parameter_before_step", 0, 3), expected.initial_parameter[3]));
  EXPECT_TRUE(same(tensors.Of("parameter_before_step", 1, 3), expected.steps[0].parameter[3]));
  EXPECT_TRUE(same(tensors.Of("master", -1, 3), expected.initial_master[3]));
  EXPECT_TRUE(same(tensors.Of("master", 1, 3), expected.steps[1].master[3]));
  EXPECT_TRUE(same(tensors.Of("exp_avg", -1, 3), zeros));
  EXPECT_TRUE(same(tensors.Of("exp_avg", 1, 3), expected.steps[1].moment1[3]));
  EXPECT_TRUE(same(tensors.Of("exp_avg_sq", -1, 3), zeros));
  EXPECT_TRUE(same(tensors.Of("exp_avg_sq", 0, 3), expected.steps[0].moment2[3]));
  EXPECT_TRUE(same(tensors.Of("gradient", 1, 3), expected.steps[1].gradient[3]));
  EXPECT_TRUE(same(tensors.Before("master", 0, 3), expected.initial_master[3]));
  EXPECT_TRUE(same(tensors.Before("gradient", 1, 3), expected.steps[0].gradient[3]));
  EXPECT_TRUE(tensors.Before("gradient", 0, 3).empty());
  EXPECT_TRUE(tensors.Before("master", -1, 3).empty());
}

RC_GTEST_PROP(ExpectedOf, ExactInputsGiveTheSameBitsInEveryOrder, ()) {
  CaseSpace space = EverythingOf(ShapeStyle::kMixed);
  std::erase(space.gradients, GradientSource::kUniform);
  const Case c = *CasesOf(space, {*rc::gen::inRange(1, 6), *rc::gen::element(Precision::kFp32, Precision::kBf16), {}},
                          EverythingCapable());
  const Experiment& e = c.experiment;
  const Expected by_rank = ExpectedOf(c, UniformOrder(e, RankFold(e.world_size, e.micro_batches)));
  for (const Fold& fold :
       {TreeFold(e.world_size, e.micro_batches), RingFold(e.world_size, e.micro_batches, e.world_size / 2)}) {
    const Expected other = ExpectedOf(c, UniformOrder(e, fold));
    for (int64_t step = 0; step < e.steps; ++step) {
      RC_ASSERT(other.steps[step].gradient == by_rank.steps[step].gradient);
      RC_ASSERT(other.steps[step].master == by_rank.steps[step].master);
    }
  }
}

}  // namespace
}  // namespace zerocts
