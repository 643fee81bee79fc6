// What a step means for experts: their sums, their divisor, their part of the norm, each written down by hand.
#include <gtest/gtest.h>

#include "reference/model/model.hpp"
#include "reference/train/by_hand_for_test.hpp"
#include "reference/train/text_experiment_for_test.hpp"

namespace zerocts {
namespace {

/// W = 6, K = 2, E = 3: parameter a is dense, b is expert 1's, of ranks 1 and 4.
Experiment WithExperts(int64_t steps = 1) {
  Experiment e = MakeExperiment(steps);
  e.world_size = 6;
  e.micro_batches = 2;
  e.experts = {3, {{1, 1}}};
  return e;
}

float Mean(const Experiment& e, int64_t step, size_t i) {
  const auto g = [&](int64_t micro_batch) { return GradientOf(e, step, micro_batch, 1)[i]; };
  return ((g(2) + g(3)) + (g(8) + g(9))) / 12.0f;  // by all micro-batches, W * K
}

TEST(Experts, AreAddedOverTheirRanksAndDividedByAllMicroBatches) {
  const Experiment e = WithExperts(3);
  const Experiment dense = [&] {
    Experiment without = e;
    without.experts = {};
    return without;
  }();
  const std::vector<StepTrace> of_dense = TrainByRank(dense);
  ByHand b(e, 1);
  for (const StepTrace& trace : TrainByRank(e)) {
    std::vector<float> mean;
    for (size_t i = 0; i < 3; ++i) mean.push_back(Mean(e, trace.step, i));
    b.Step(mean);
    EXPECT_EQ(trace.gradient[1], mean);
    ExpectState(trace, 1, b, "expert");
    EXPECT_EQ(trace.master[0], of_dense[static_cast<size_t>(trace.step)].master[0]);
  }
}

TEST(Experts, AreDividedByTheMicroBatchesOfTheirRanksWhereThatIsDeclared) {
  Experiment e = WithExperts(2);
  e.experts.divisor = ExpertDivisor::kGroup;
  ByHand b(e, 1);
  for (const StepTrace& trace : TrainByRank(e)) {
    std::vector<float> mean;
    for (size_t i = 0; i < 3; ++i) {
      const auto g = [&](int64_t micro_batch) { return GradientOf(e, trace.step, micro_batch, 1)[i]; };
      mean.push_back(((g(2) + g(3)) + (g(8) + g(9))) / 4.0f);
    }
    b.Step(mean);
    EXPECT_EQ(trace.gradient[1], mean);
    ExpectState(trace, 1, b, "expert");
    float dense = 0;
    for (int64_t rank = 0; rank < 6; ++rank)
      dense += GradientOf(e, trace.step, 2 * rank, 0)[0] + GradientOf(e, trace.step, 2 * rank + 1, 0)[0];
    EXPECT_EQ(trace.gradient[0][0], dense / 12.0f);
  }
}

/// In bf16 the sum over ranks begins with the first rank that is there: nothing was rounded before.
TEST(Experts, AreRoundedAsASumOfTheirRanksAlone) {
  Experiment e = WithExperts();
  e.accumulation = e.reduction = Precision::kBf16;
  const StepTrace trace = TrainByRank(e)[0];
  for (size_t i = 0; i < 3; ++i) {
    const auto of_rank = [&](int64_t rank) {
      const float first = RoundToBf16(GradientOf(e, 0, 2 * rank, 1)[i]);
      return RoundToBf16(first + RoundToBf16(GradientOf(e, 0, 2 * rank + 1, 1)[i]));
    };
    EXPECT_EQ(trace.gradient[1][i], RoundToBf16(RoundToBf16(of_rank(1) + of_rank(4)) / 12.0f));
  }
}

TEST(Experts, CountOnceInTheNorm) {
  Experiment e = WithExperts();
  e.max_norm = 0.01f;
  const StepTrace trace = TrainByRank(e)[0];
  GradientNorm norm(NormKind::kTwo);
  for (const auto& gradient : trace.gradient) norm.Add(HostOps(), gradient.data(), std::ssize(gradient));
  EXPECT_EQ(trace.grad_norm, norm.Norm());
  EXPECT_EQ(trace.clip_coefficient, ClipCoefficient(norm.Norm(), 0.01f, 1e-6f));
}

TEST(Experts, SkipAStepForAll) {
  Experiment e = WithExperts();
  e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 8.0f};
  e.planted = {{0, 8, 1, 2, NonFinite::kNan}};
  const StepTrace trace = TrainByRank(e)[0];
  EXPECT_TRUE(trace.skipped);
  EXPECT_EQ(trace.master[0], InitialValuesOf(e, 0));
}

/// Gradients of a model's micro-batches, each through the expert of its rank, added by hand.
TEST(Experts, OfAModelLearnFromTheMicroBatchesOfTheirRanks) {
  const TemporaryText text(kText);
  Experiment e =
      TextExperiment(text, MlpSpec{.vocab = 128, .context = 3, .embedding = 2, .hidden = {5, 4}, .experts = 3});
  e.world_size = 6;
  e.micro_batches = 2;
  Trainer trainer(e, UniformOrder(e, RankFold(6, 2)), HostOps());
  const std::vector<std::vector<float>> before = trainer.parameters();
  const StepTrace trace = trainer.Step();

  const TextCorpus tokens = TextCorpus::LoadFor(e);
  Model model(*e.model, e.precision, HostOps());
  std::vector<const float*> values;
  for (const auto& parameter : before) values.push_back(parameter.data());
  const int weight_of_1 = 5;  // of hidden1.expert1, of ranks 1 and 4
  std::vector<std::vector<float>> of_expert;
  for (const int64_t g : {2, 3, 8, 9}) {
    std::vector<std::vector<float>> gradients;
    std::vector<float*> out;
    for (const auto& parameter : before) out.push_back(gradients.emplace_back(parameter.size()).data());
    const Batch batch = MakeBatch(e, tokens, 0, g);
    EXPECT_EQ(model.ForwardBackward(values, out, batch.inputs.data(), batch.targets.data(), e.batch, 1.0f, 1),
              trace.losses[static_cast<size_t>(g)]);
    of_expert.push_back(gradients[weight_of_1]);
  }
  for (size_t i = 0; i < before[weight_of_1].size(); ++i) {
    const float sum = (of_expert[0][i] + of_expert[1][i]) + (of_expert[2][i] + of_expert[3][i]);
    EXPECT_EQ(trace.gradient[weight_of_1][i], sum / 12.0f) << i;
  }
  for (size_t p = 0; p < before.size(); ++p) EXPECT_NE(trace.master[p], before[p]) << p;
}

TEST(Experts, NeedAnOrderThatAddsOneOfTheirRanks) {
  const Experiment e = WithExperts();
  try {
    Train(e, {{{0, 3, RankFold(6, 2)}, {3, 6, Fold::Sum({Fold::Leaf(0), Fold::Leaf(4)})}}}, HostOps());
    FAIL() << "a sum of ranks 0 and 2 was taken for the expert's";
  } catch (const std::invalid_argument& wrong) {
    EXPECT_STREQ(wrong.what(), "reduction order: expected a micro-batch of a rank that has b, got (0+4)");
  }
}

}  // namespace
}  // namespace zerocts
