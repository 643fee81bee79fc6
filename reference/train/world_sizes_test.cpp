// One global batch has the same bits on every world size, when it is added in the order `tree`.
#include <gtest/gtest.h>

#include "reference/ops/host_ops.hpp"
#include "reference/train/text_experiment_for_test.hpp"
#include "reference/train/world_sizes_for_test.hpp"

namespace zerocts {
namespace {

TEST(WorldSizes, OfTheMlpHaveEqualBits) {
  const TemporaryText text(kText);
  const Experiment first = TextExperiment(text);
  EXPECT_LT(ExpectSameBitsOnEveryWorldSize(first, {1, 2, 4, 8}).mean_loss(), 4.0);

  Experiment e = first;
  e.precision = e.accumulation = e.reduction = Precision::kBf16;
  e.optimizer = OptimizerKind::kLamb;
  e.clip_norm = NormKind::kOne;
  e.loss_scaling = {.kind = LossScaleKind::kDynamic, .scale = 0x1p127f, .growth_interval = 3};
  e.initial = InitialValues::kUniform;  // weights so large that scaled gradients overflow
  const StepTrace last = ExpectSameBitsOnEveryWorldSize(e, {1, 2, 4, 8});
  EXPECT_LT(last.loss_scale, 0x1p127f);
}

TEST(WorldSizes, OfTheGptHaveEqualBits) {
  const TemporaryText text(kText);
  Experiment e = TextExperiment(text, GptSpec{.vocab = 128, .context = 9, .layers = 2, .heads = 3, .width = 15});
  e.batch = 2;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    e.precision = precision;
    EXPECT_LT(ExpectSameBitsOnEveryWorldSize(e, {1, 2, 4, 8}).mean_loss(), 4.0);
  }
}

TEST(WorldSizes, HaveOtherBitsInAnotherOrder) {
  const TemporaryText text(kText);
  const Experiment e = TextExperiment(text, GptSpec{.vocab = 128, .context = 9, .layers = 1, .heads = 1, .width = 5});
  const auto last = [&](const Fold& fold) { return Train(e, UniformOrder(e, fold), HostOps()).back().master; };
  EXPECT_NE(last(TreeFold(8, 1)), last(RankFold(8, 1)));
}

}  // namespace
}  // namespace zerocts
