#include "conformance/check/cost/tensor_traffic.hpp"

#include <gtest/gtest.h>

#include "conformance/check/cost/traffic.hpp"
#include "conformance/check/cost/traffic_bounds.hpp"

namespace zerocts {
namespace {

Case OnTensorRanks(const ModelSpec& model, int tensor, int64_t batch) {
  Case c;
  c.tensor = tensor;
  c.experiment.model = model;
  c.experiment.parameters = ModelParameters(model);
  c.experiment.gradients = GradientSource::kModel;
  c.experiment.batch = batch;
  c.experiment.steps = 1;
  return c;
}

constexpr MlpSpec SixSlices(MlpSpec mlp) {
  mlp.slice_order.slices = 6;
  return mlp;
}
const MlpSpec kThreeLayers = SixSlices({.vocab = 7, .context = 2, .embedding = 3, .hidden = {13, 5}});

TEST(TensorTraffic, OfWholeLayersIsNone) {
  EXPECT_EQ(TensorTrafficOf(OnTensorRanks(kThreeLayers, 1, 3)).most_bytes, 0u);
  EXPECT_EQ(TensorTrafficOf(OnTensorRanks(kThreeLayers, 1, 3)).least_bytes, 0u);
}

/// hidden0 [13, 6] gives back 6 gradients of each of 3 sequences, hidden1 [5, 13] makes 5 outputs, logits [7, 5] give
/// back 5 gradients and are gathered.
TEST(TensorTraffic, OfAnMlpIsThatOfItsSumsAndLogits) {
  const TensorTraffic traffic = TensorTrafficOf(OnTensorRanks(kThreeLayers, 3, 3));
  EXPECT_EQ(traffic.most_bytes, 4u * 2 * (6 * 3 * (6 + 5 + 5) + 3 * 7));
  EXPECT_EQ(traffic.least_bytes, 4u * 2 * (2 * 3 * (5 + 5) + 2 * 3));
}

/// Sums of the six slices of the logits of each row, two numbers of each rank; the embedding is one addend per rank.
TEST(TensorTraffic, OfASplitVocabularyHasNoLogits) {
  MlpSpec mlp = kThreeLayers;
  mlp.vocab_parallel = true;
  EXPECT_EQ(TensorTrafficOf(OnTensorRanks(mlp, 3, 3)).most_bytes,
            4u * 2 * (6 * 3 * (6 + 5 + 5) + 2 * 3 * 6 + 3 * 2 * 3 + 6 * 3));
}

/// Two hidden units make two slices, and one of three ranks has none.
TEST(TensorTraffic, OfFewerElementsThanSlicesIsThatOfTheElements) {
  const Case c = OnTensorRanks(SixSlices({.vocab = 7, .context = 1, .embedding = 1, .hidden = {2}}), 3, 1);
  EXPECT_EQ(TensorTrafficOf(c).most_bytes, 4u * 2 * (2 * 1 + 2 * 7));
  EXPECT_EQ(TensorTrafficOf(c).least_bytes, 4u * 2 * 7);
}

TEST(TensorTraffic, MayBeHalfWhereTheModelRoundsToBf16) {
  Case c = OnTensorRanks(kThreeLayers, 3, 3);
  const TensorTraffic fp32 = TensorTrafficOf(c);
  c.experiment.precision = Precision::kBf16;
  EXPECT_EQ(TensorTrafficOf(c).most_bytes, fp32.most_bytes);
  EXPECT_EQ(TensorTrafficOf(c).least_bytes, fp32.least_bytes / 2);
}

/// Parts of ceil(m / T) are added in any order.
TEST(TensorTraffic, OfPartsThatAreNotEvenIsThatOfAllReduces) {
  Case c = OnTensorRanks(kThreeLayers, 3, 3);
  c.tensor_parts = PartSizes::kCeil;
  EXPECT_EQ(TensorTrafficOf(c).most_bytes, 4u * 2 * (2 * 3 * (6 + 5 + 5) + 3 * 7));
}

const GptSpec kOneBlock{.vocab = 5, .context = 3, .layers = 1, .heads = 4, .width = 4, .slice_order = {.slices = 4}};
constexpr uint64_t kStream = 2 * 3 * 4;  // of two sequences

TEST(TensorTraffic, OfABlockIsFourSums) {
  GptSpec gpt = kOneBlock;
  EXPECT_EQ(TensorTrafficOf(OnTensorRanks(gpt, 2, 2)).most_bytes, 4u * 4 * 4 * kStream);
  EXPECT_EQ(TensorTrafficOf(OnTensorRanks(gpt, 2, 2)).least_bytes, 4u * 3 * 2 * kStream);
  gpt.tied = false;  // a head that is split: its sum, and logits
  EXPECT_EQ(TensorTrafficOf(OnTensorRanks(gpt, 2, 2)).most_bytes, 4u * (5 * 4 * kStream + 6 * 5));
}

/// Each sum is half, two slices of the other rank's own positions, and has a gathering beside it; a column-parallel
/// layer gathers its input twice. Three norms add 8 gradients in three slices.
TEST(TensorTraffic, OfSplitPositionsIsThatOfScatteredSumsAndGatherings) {
  GptSpec gpt = kOneBlock;
  gpt.sequence_parallel = true;
  const TensorTraffic traffic = TensorTrafficOf(OnTensorRanks(gpt, 2, 2));
  const uint64_t block = 4 * 2 + 6, head = 2, embedding = 1;
  EXPECT_EQ(traffic.most_bytes, 4u * ((block + head + embedding) * kStream + 3 * 3 * 8));
  EXPECT_EQ(traffic.least_bytes, 4u * (3 + 4) * kStream);
}

std::vector<RankObservation> Moving(const Case& c, uint64_t bytes) {
  std::vector<RankObservation> ranks(static_cast<size_t>(c.world_size()));
  for (RankObservation& rank : ranks) rank.traffic = {{}};
  ranks.front().traffic.front().all_gather = {1, bytes, bytes};
  return ranks;
}

std::string Found(const Case& c, uint64_t bytes) {
  Evidence evidence;
  const auto finding = CheckTraffic(c, Moving(c, bytes), {}, evidence);
  return finding ? finding->sentence : "nothing";
}

TEST(TrafficOfTensorRanks, IsThatOfTheirPartsAndOfTheirLayersInEveryMicroBatch) {
  Case c = OnTensorRanks(kThreeLayers, 3, 3);
  c.experiment.micro_batches = 2;
  const uint64_t layers = 2 * 4 * 2 * (6 * 3 * (6 + 5 + 5) + 3 * 7);
  EXPECT_EQ(Found(c, layers), "nothing");
  EXPECT_EQ(Found(c, layers + 4),
            "step 0: the ranks of replica 0 received 4948 bytes of gradients, parameters and "
            "activations, expected at most 4944 (stage 1, 1 shards, 1 replicas, 3 tensor ranks, "
            "2 micro-batches)");
  EXPECT_NE(Found(c, 100).find("the gradients and activations that have to leave their ranks"), std::string::npos);

  Case sharded = c;
  sharded.experiment.world_size = 2;
  uint64_t parts = 0;  // and one element of padding each
  for (const ParameterSpec& parameter : c.experiment.parameters) parts += static_cast<uint64_t>(parameter.numel()) + 3;
  parts += 2 * (7 * 3 + 5);  // the embedding and the bias of hidden1 are on every tensor rank
  EXPECT_EQ(MostTrafficOf(sharded).bytes, 2 * layers + 2 * parts * 4);
}

/// Stage 1 may take an all-reduce for the reduce-scatter of its gradients, not for what layers need.
TEST(TrafficOfTensorRanks, CountsAllReducesInWhole) {
  const Case c = OnTensorRanks(kThreeLayers, 3, 3);
  const uint64_t layers = TensorTrafficOf(c).most_bytes, talk = 16 << 10;
  const auto found = [&](uint64_t bytes) {
    auto ranks = Moving(c, 0);
    ranks.front().traffic.front().all_reduce = {1, bytes, bytes};
    Evidence evidence;
    return CheckTraffic(c, ranks, {}, evidence).has_value();
  };
  EXPECT_FALSE(found(talk + layers));
  EXPECT_TRUE(found(talk + layers + 1));
}

/// What all tensor ranks have may be reduced once.
TEST(TrafficOfTensorRanks, IsNoLessThanTheirGradients) {
  Case c = OnTensorRanks(kThreeLayers, 3, 3);
  const uint64_t layers = LeastTrafficOf(c, 0);
  EXPECT_EQ(layers, TensorTrafficOf(c).least_bytes);
  c.experiment.world_size = 3;
  uint64_t numel = 0;
  for (const ParameterSpec& parameter : c.experiment.parameters) numel += static_cast<uint64_t>(parameter.numel());
  EXPECT_EQ(LeastTrafficOf(c, 0), 3 * layers + 4 * (2 * numel + (3 + 3 - 2 - 2) * (7 * 3 + 5)));
  c.experiment.roles.frozen = {{0, 0, 1}};
  EXPECT_EQ(LeastTrafficOf(c, 0), 4 * (2 * (numel - 7 * 3) + 2 * 5)) << "activations need not travel";
}

}  // namespace
}  // namespace zerocts
