// One batch on every mesh: R replicas x S shards x T tensor ranks train 20 steps on a text with equal bits. They are
// those of the reference, which knows one process.
#include <bit>
#include <map>

#include "impl/stages/for_test/text_meshes.hpp"
#include "reference/train/trainer.hpp"

namespace zerocts::engine {
namespace {

constexpr SliceOrder kTwelve{.slices = 12};

/// So many micro-batches in a step, of all data ranks together; as many tensor ranks; one kind of model.
struct OneBatch {
  int micro_batches, tensor;
  std::string kind;
};
void PrintTo(const OneBatch& b, std::ostream* out) {
  *out << b.micro_batches << " micro-batches, T=" << b.tensor << ", " << b.kind;
}

ModelSpec ModelOf(const std::string& kind) {
  if (kind == "mlp") {
    return MlpSpec{.vocab = 132, .context = 4, .embedding = 6, .hidden = {36, 12}, .slice_order = kTwelve};
  }
  GptSpec gpt{.vocab = 132, .context = 5, .layers = 1, .heads = 12, .width = 24, .slice_order = kTwelve};
  if (kind == "gpt, all split") {
    gpt.tied = false;
    gpt.vocab_parallel = gpt.sequence_parallel = true;
  }
  if (kind == "gpt, grouped queries") {
    gpt.heads = 24;
    gpt.kv_heads = 12;
  }
  return gpt;
}

/// Every R x S whose ranks divide the batch into what `tree` adds alike: powers of two of 8, and of 12 what leaves a
/// power of two to each rank. Stages take turns; one of them has no replicas.
std::vector<MeshOfThree> MeshesOf(const OneBatch& batch) {
  std::vector<MeshOfThree> meshes;
  int turn = batch.tensor;
  for (int ranks = 1; ranks <= batch.micro_batches; ++ranks) {
    const bool divides = batch.micro_batches % ranks == 0;
    if (!divides || (ranks > 1 && !std::has_single_bit(static_cast<unsigned>(batch.micro_batches / ranks)))) continue;
    for (int replicas = 1; replicas <= ranks; ++replicas) {
      if (ranks % replicas != 0) continue;
      const int stage = turn++ % 4;
      meshes.push_back({replicas, ranks / replicas, batch.tensor, replicas == 1 ? stage : 1 + stage % 3});
    }
  }
  return meshes;
}

Fold FoldOf(const Experiment& e, int replicas) {
  return TreeFold({.world_size = e.world_size, .micro_batches = e.micro_batches, .replicas = replicas});
}

/// Are the sums over replicas parts of the one tree over all micro-batches? Then no mesh can be told from one rank.
bool IsOneTree(const MeshOfThree& mesh) {
  return mesh.replicas == 1 || std::has_single_bit(static_cast<unsigned>(mesh.shards));
}

class EveryMesh : public testing::TestWithParam<OneBatch> {};

std::vector<OneBatch> Batches() {
  std::vector<OneBatch> batches;
  for (const int micro_batches : {8, 12}) {
    for (const int tensor : {1, 2, 3, 4}) {
      for (const char* kind : {"mlp", "gpt", "gpt, all split", "gpt, grouped queries"}) {
        batches.push_back({micro_batches, tensor, kind});
      }
    }
  }
  return batches;
}
INSTANTIATE_TEST_SUITE_P(Batches, EveryMesh, testing::ValuesIn(Batches()));

TEST_P(EveryMesh, HasTheBitsOfOneProcess) {
  const TemporaryText file(kText);
  const ModelSpec model = ModelOf(GetParam().kind);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const Experiment alone = ExperimentOn({1, 1, 1, 0}, GetParam().micro_batches, file, model, precision);
    const TextCorpus text = TextCorpus::LoadFor(alone);
    std::map<std::string, std::vector<StepTrace>> trained;  // by the order of addition
    for (const MeshOfThree& mesh : MeshesOf(GetParam())) {
      SCOPED_TRACE(testing::PrintToString(mesh) + ", " + ToString(precision));
      const int micro_batches = GetParam().micro_batches / mesh.data_ranks();
      const Experiment e = ExperimentOn(mesh, micro_batches, file, model, precision);
      const Fold fold = FoldOf(e, mesh.replicas);
      EXPECT_EQ(fold == FoldOf(alone, 1), IsOneTree(mesh));
      std::vector<StepTrace>& expected = trained[ToString(fold)];
      if (expected.empty()) expected = Train(alone, UniformOrder(alone, fold), HostOps());
      ExpectSteps(expected, RunSteps(RunOf(e, mesh, text)));
    }
  }
}

}  // namespace
}  // namespace zerocts::engine
