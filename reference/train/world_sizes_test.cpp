// One global batch has the same bits on every world size, when it is added in the order `tree`.
#include <gtest/gtest.h>

#include "reference/experiment/hash.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/train/text_experiment_for_test.hpp"
#include "reference/train/trace.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

/// The same W * K micro-batches on `world_size` ranks, which has to divide their number.
Experiment SplitOver(Experiment e, int world_size) {
  const int micro_batches = e.world_size * e.micro_batches;
  EXPECT_EQ(micro_batches % world_size, 0);
  e.world_size = world_size;
  e.micro_batches = micro_batches / world_size;
  return e;
}

/// Trains `e` as each of `world_sizes` ranks in the order `tree`; hashes of every tensor after every step, norms,
/// scales and skips have to be those of the first. Returns the last step, for the caller to see that something was
/// trained.
StepTrace ExpectSameBitsOnEveryWorldSize(const Experiment& e, const std::vector<int>& world_sizes) {
  std::vector<StepTrace> expected;
  for (const int world_size : world_sizes) {
    const Experiment split = SplitOver(e, world_size);
    const ReductionOrder tree = UniformOrder(split, TreeFold(split.world_size, split.micro_batches));
    const std::vector<StepTrace> steps = Train(split, tree, HostOps());
    if (expected.empty()) expected = steps;
    for (size_t s = 0; s < steps.size(); ++s) {
      const std::string where = "W = " + std::to_string(world_size) + ", step " + std::to_string(s);
      EXPECT_EQ(TensorHashes(split, steps[s]), TensorHashes(split, expected[s])) << where;
      EXPECT_EQ(CanonicalBits(steps[s].grad_norm), CanonicalBits(expected[s].grad_norm)) << where;
      EXPECT_EQ(steps[s].losses, expected[s].losses) << where;
      EXPECT_EQ(steps[s].loss_scale, expected[s].loss_scale) << where;
      EXPECT_EQ(steps[s].skipped, expected[s].skipped) << where;
    }
  }
  return expected.back();
}

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
