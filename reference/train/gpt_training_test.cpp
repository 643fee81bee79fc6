#include <gtest/gtest.h>

#include "reference/experiment/temporary_text.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

constexpr char kText[] =
    "Who adds three numbers in another order gets another number, so the order is a part of the answer; and a tree over "
    "all micro-batches is the same tree, whoever holds them.";

/// One global batch of eight micro-batches, as `world_size` ranks have it.
Experiment GptExperiment(const TemporaryText& text, Precision precision, int world_size) {
  Experiment e;
  e.model = GptSpec{.vocab = 128, .context = 9, .layers = 2, .heads = 3, .width = 15};
  e.parameters = ModelParameters(*e.model);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.precision = precision;
  e.optimizer = OptimizerKind::kAdamW;
  e.groups = {{.lr = 0.01f, .weight_decay = 0.01f}, {.lr = 0.01f}};
  e.max_norm = 1.0f;
  e.world_size = world_size;
  e.micro_batches = 8 / world_size;
  e.batch = 2;
  e.steps = 20;
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  return e;
}

std::vector<StepTrace> TrainWith(const Experiment& e, const Fold& fold) { return Train(e, UniformOrder(e, fold), HostOps()); }

TEST(GptTraining, HasTheSameBitsForEveryWorldSizeWithATree) {
  const TemporaryText text(kText);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const std::vector<StepTrace> one = TrainWith(GptExperiment(text, precision, 1), TreeFold(1, 8));
    EXPECT_LT(one.back().mean_loss(), 0.8 * one[0].mean_loss());
    for (const int world_size : {2, 4, 8}) {
      const std::vector<StepTrace> many =
          TrainWith(GptExperiment(text, precision, world_size), TreeFold(world_size, 8 / world_size));
      for (size_t step = 0; step < one.size(); ++step) {
        ASSERT_EQ(many[step].losses, one[step].losses) << ToString(precision) << ", W = " << world_size;
        ASSERT_EQ(many[step].gradient, one[step].gradient) << ToString(precision) << ", W = " << world_size;
        ASSERT_EQ(many[step].master, one[step].master) << ToString(precision) << ", W = " << world_size;
      }
    }
  }
}

TEST(GptTraining, HasOtherBitsInAnotherOrder) {
  const TemporaryText text(kText);
  const Experiment e = GptExperiment(text, Precision::kFp32, 4);
  EXPECT_NE(TrainWith(e, TreeFold(4, 2)).back().master, TrainWith(e, Fold::Sum({RankFold(4, 2)}, Rounding::kBf16)).back().master);
}

}  // namespace
}  // namespace zerocts
