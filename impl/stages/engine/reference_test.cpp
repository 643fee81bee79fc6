// The engine beside the reference trainer: real training on a text, on meshes of three axes, step by step and bit by
// bit.
#include <gtest/gtest.h>

#include "impl/stages/for_test/text_meshes.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts::engine {
namespace {

constexpr SliceOrder kSlicesOfTwelve{.slices = 12};

void ExpectTheBitsOfTheReference(const MeshOfThree& mesh, const ModelSpec& model, Precision precision) {
  const TemporaryText file(kText);
  const Experiment e = ExperimentOn(mesh, 2, file, model, precision);
  const TextCorpus text = TextCorpus::LoadFor(e);
  const Fold fold = TreeFold({.world_size = e.world_size, .micro_batches = 2, .replicas = mesh.replicas});
  ExpectSteps(Train(e, UniformOrder(e, fold), HostOps()), RunSteps(RunOf(e, mesh, text)));
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
