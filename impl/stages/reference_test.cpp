// The engine beside the reference trainer: real training on a text, on meshes of three axes, step by step and bit by
// bit.
#include <gtest/gtest.h>

#include "impl/stages/for_test/experiment_run.hpp"
#include "reference/numerics/bits.hpp"
#include "reference/train/text_experiment_for_test.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts::engine {
namespace {

constexpr SliceOrder kSlicesOfTwelve{.slices = 12};

struct MeshOfThree {
  int replicas, shards, tensor, stage;
};
void PrintTo(const MeshOfThree& m, std::ostream* out) {
  *out << ToString(HybridMesh(m.replicas, m.shards, m.tensor)) << ", stage " << m.stage;
}

/// 20 steps of two micro-batches per data rank.
Experiment ExperimentOn(const MeshOfThree& mesh, const TemporaryText& text, const ModelSpec& model,
                        Precision precision) {
  Experiment e = TextExperiment(text, model);
  e.precision = precision;
  e.world_size = mesh.replicas * mesh.shards;
  e.micro_batches = 2;
  e.max_norm = 0.25f;
  return e;
}

TestRun RunOf(const Experiment& e, const MeshOfThree& mesh, const TextCorpus& text) {
  TestRun run = RunOfExperiment(e, mesh.stage);
  run.world_size *= mesh.tensor;
  run.settings.replicas = mesh.replicas;
  run.settings.tensor = mesh.tensor;
  run.settings.reduction_order = "tree";
  run.tokens = [&e, &text](int64_t step, int64_t g) { return MakeBatch(e, text, step, g); };
  return run;
}

void ExpectTheBitsOfTheReference(const MeshOfThree& mesh, const ModelSpec& model, Precision precision) {
  const TemporaryText file(kText);
  const Experiment e = ExperimentOn(mesh, file, model, precision);
  const TextCorpus text = TextCorpus::LoadFor(e);
  const auto snapshots = RunSteps(RunOf(e, mesh, text));
  const Fold fold = TreeFold({.world_size = e.world_size, .micro_batches = 2, .replicas = mesh.replicas});
  Trainer trainer(e, UniformOrder(e, fold), HostOps());
  bool clipped = false;
  for (const Snapshot& got : snapshots) {
    const StepTrace expected = trainer.Step();
    clipped = clipped || expected.clip_coefficient < 1;
    ASSERT_EQ(got.grad_norm, CanonicalBits(expected.grad_norm)) << "step " << expected.step;
    ASSERT_EQ(got.states.at("gradient"), BitsOf(expected.gradient)) << "step " << expected.step;
    ASSERT_EQ(got.states.at("master"), BitsOf(expected.master)) << "step " << expected.step;
    ASSERT_EQ(got.parameters, BitsOf(expected.parameter)) << "step " << expected.step;
  }
  EXPECT_TRUE(clipped);
}

class TrainingOnText : public testing::TestWithParam<MeshOfThree> {};
INSTANTIATE_TEST_SUITE_P(Meshes, TrainingOnText,
                         testing::Values(MeshOfThree{1, 1, 2, 0}, MeshOfThree{1, 2, 2, 0}, MeshOfThree{1, 1, 3, 1},
                                         MeshOfThree{1, 2, 3, 2}, MeshOfThree{2, 2, 2, 2}, MeshOfThree{1, 1, 4, 3},
                                         MeshOfThree{2, 2, 3, 3}, MeshOfThree{3, 2, 2, 3}));

TEST_P(TrainingOnText, OfAnMlpHasTheBitsOfTheReference) {
  const MlpSpec mlp{.vocab = 128, .context = 4, .embedding = 6, .hidden = {25, 13}, .slice_order = kSlicesOfTwelve};
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    ExpectTheBitsOfTheReference(GetParam(), mlp, precision);
  }
}

TEST_P(TrainingOnText, OfAGptHasTheBitsOfTheReference) {
  GptSpec gpt{.vocab = 128, .context = 4, .layers = 2, .heads = 12, .width = 24, .slice_order = kSlicesOfTwelve};
  gpt.tied = GetParam().stage % 2 == 0;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    ExpectTheBitsOfTheReference(GetParam(), gpt, precision);
  }
}

TEST_P(TrainingOnText, OfGroupedQueriesHasTheBitsOfTheReference) {
  const GptSpec gpt{.vocab = 128,
                    .context = 4,
                    .layers = 1,
                    .heads = 24,
                    .kv_heads = 12,
                    .width = 24,
                    .slice_order = kSlicesOfTwelve};
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    ExpectTheBitsOfTheReference(GetParam(), gpt, precision);
  }
}

TEST_P(TrainingOnText, OfASequenceParallelGptHasTheBitsOfTheReference) {
  GptSpec gpt{.vocab = 128,
              .context = 5,
              .layers = 1,
              .heads = 12,
              .width = 24,
              .slice_order = kSlicesOfTwelve,
              .sequence_parallel = true};
  gpt.tied = GetParam().stage % 2 == 0;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    ExpectTheBitsOfTheReference(GetParam(), gpt, precision);
  }
}

}  // namespace
}  // namespace zerocts::engine
