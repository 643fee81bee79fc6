#include <gtest/gtest.h>

#include "reference/experiment/hash.hpp"
#include "reference/experiment/temporary_text.hpp"
#include "reference/ops/host_ops.hpp"
#include "reference/optim/schedule.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts {
namespace {

constexpr char kText[] =
    "A sharded optimizer owns a part of every state and all of the work: it reduces what the others computed, steps "
    "what it owns, and gathers "
    "what all need. Nothing of that may change a bit of what one process alone would have computed.\n";

Experiment TextExperiment(const TemporaryText& text, Precision precision, int world_size, int micro_batches) {
  Experiment e;
  e.model = MlpSpec{.vocab = 128, .context = 5, .embedding = 7, .hidden = {33, 18}};
  e.parameters = ModelParameters(*e.model);
  e.initial = InitialValues::kModel;
  e.gradients = GradientSource::kModel;
  e.precision = precision;
  e.optimizer = OptimizerKind::kAdamW;
  e.groups = {{.weight_decay = 0.01f}, {}};
  e.max_norm = 1.0f;
  e.world_size = world_size;
  e.micro_batches = micro_batches;
  e.batch = 16;
  e.steps = 30;
  e.text = text.path();
  e.text_hash = TextCorpus::Load(e.text).hash();
  SetLearningRates(e, LearningRates(LinearSchedule{.peak = 0.02f, .warmup_steps = 5, .final_fraction = 0.0f}, e.steps));
  return e;
}

std::string HashOfAll(const StepTrace& trace) {
  std::vector<float> all;
  for (const auto* tensors : {&trace.gradient, &trace.master, &trace.moment1, &trace.moment2, &trace.parameter}) {
    for (const auto& tensor : *tensors) all.insert(all.end(), tensor.begin(), tensor.end());
  }
  return HashOf(all);
}

// The whole reference in one number: the same bits on every compiler, instruction set and split of the global batch.
TEST(MlpTraining, HasGoldenBitsOnEveryKernelTable) {
  const TemporaryText text(kText);
  const std::vector<std::pair<Precision, std::string>> golden = {
      {Precision::kFp32, "57fb9f70d7d5872589f7f924e654d9c0"}, {Precision::kBf16, "b985a7ba6f166d30ffc6eda8b597f00e"}};
  for (const auto& [precision, hash] : golden) {
    for (const std::string& kernels : HostKernelNames()) {
      for (const auto& [world_size, micro_batches] : {std::pair{1, 4}, {2, 2}, {4, 1}}) {
        const Experiment e = TextExperiment(text, precision, world_size, micro_batches);
        const std::vector<StepTrace> steps =
            Train(e, UniformOrder(e, TreeFold(world_size, micro_batches)), HostOpsWith(kernels));
        EXPECT_EQ(HashOfAll(steps.back()), hash) << ToString(precision) << " on " << kernels << ", W = " << world_size;
        EXPECT_EQ(steps[0].losses.size(), 4u);
        EXPECT_LT(steps.back().mean_loss(), 0.7 * steps[0].mean_loss());
      }
    }
  }
}

TEST(MlpTraining, RefusesAnotherText) {
  const TemporaryText text(kText), other("something else altogether");
  Experiment e = TextExperiment(text, Precision::kFp32, 1, 1);
  e.text = other.path();
  EXPECT_THROW(Trainer(e, UniformOrder(e, RankFold(1, 1)), HostOps()), std::runtime_error);
}

}  // namespace
}  // namespace zerocts
