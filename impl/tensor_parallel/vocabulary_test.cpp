// Embedding and loss whose tokens ranks split, against one process, bit for bit.
#include "impl/tensor_parallel/vocabulary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "impl/comm/for_test/ranks.hpp"
#include "reference/model/test_tensors.hpp"
#include "reference/numerics/bits.hpp"

namespace zerocts::engine {
namespace {

constexpr int64_t kSize = 3, kContext = 2, kWidth = 5, kRows = kSize * kContext;
constexpr SliceOrder kSlices{.slices = 12};

std::vector<int32_t> TokensOf(int64_t V) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < kRows; ++i) tokens.push_back(static_cast<int32_t>(RandomBelow(1, 3, i, V)));
  return tokens;
}

std::vector<uint32_t> BitsOf(const float* values, int64_t numel) {
  std::vector<uint32_t> bits;
  for (int64_t i = 0; i < numel; ++i) bits.push_back(Bits(values[i]));
  return bits;
}

using TensorBits = std::vector<std::vector<uint32_t>>;

/// Rows that the tokens name, and the gradient of `own`.
TensorBits RunEmbedding(Embedding& unit, VocabRange own, int64_t V) {
  Floats table = RandomFloats(V * kWidth, 1), upstream = RandomFloats(kRows * kWidth, 2),
         gradient(own.numel() * kWidth, NAN);
  for (size_t i = 0; i < table.size(); i += 3) table[i] = -0.0f;
  const std::vector<int32_t> tokens = TokensOf(V);
  const MicroBatch batch{tokens.data(), nullptr, kSize};
  const float* parameters[] = {table.data() + own.begin * kWidth};
  float* gradients[] = {gradient.data()};
  const float* out = unit.Forward(HostOps(), batch, parameters, nullptr);
  TensorBits ran = {BitsOf(out, kRows * kWidth)};
  unit.Backward(HostOps(), batch, parameters, gradients, upstream.data());
  ran.push_back(BitsOf(gradient.data(), std::ssize(gradient)));
  return ran;
}

/// Losses, and the gradient of the logits of `own`.
TensorBits RunCrossEntropy(SplitCrossEntropy& unit, VocabRange own, int64_t V) {
  const Floats whole = RandomFloats(kRows * V, 4, 8.0f);
  Floats logits;
  for (int64_t r = 0; r < kRows; ++r) {
    logits.insert(logits.end(), whole.begin() + r * V + own.begin, whole.begin() + r * V + own.end);
  }
  const std::vector<int32_t> targets = TokensOf(V);
  const MicroBatch batch{.inputs = nullptr, .targets = targets.data(), .size = kSize, .loss_scale = 4.0f};
  const float* loss = unit.Forward(HostOps(), batch, nullptr, logits.data());
  const float* gradient = unit.Backward(HostOps(), batch, nullptr, nullptr, nullptr);
  return {BitsOf(loss, kRows), BitsOf(gradient, kRows * own.numel())};
}

/// Columns `own` of the second tensor, [rows, V], for a rank.
std::vector<uint32_t> Columns(const std::vector<uint32_t>& whole, VocabRange own, int64_t V) {
  std::vector<uint32_t> part;
  for (int64_t r = 0; r < kRows; ++r) {
    part.insert(part.end(), whole.begin() + r * V + own.begin, whole.begin() + r * V + own.end);
  }
  return part;
}

void CheckVocabulary(int64_t V, TensorGroup& group) {
  const EmbeddingShape table{V, kContext, kWidth, true};
  const CrossEntropyShape losses{kContext, V, kSlices.slices};
  const VocabRange all{0, V}, own = OwnVocab(V, group);

  Embedding whole_table("embedding", table);
  VocabParallelEmbedding split_table("embedding", table, group);
  const TensorBits rows = RunEmbedding(whole_table, all, V), own_rows = RunEmbedding(split_table, own, V);
  EXPECT_EQ(own_rows[0], rows[0]) << V;
  EXPECT_EQ(own_rows[1],
            std::vector<uint32_t>(rows[1].begin() + own.begin * kWidth, rows[1].begin() + own.end * kWidth))
      << V;

  SplitCrossEntropy whole(losses);
  VocabParallelCrossEntropy split(losses, group);
  const TensorBits expected = RunCrossEntropy(whole, all, V), got = RunCrossEntropy(split, own, V);
  EXPECT_EQ(got[0], expected[0]) << V;
  EXPECT_EQ(got[1], Columns(expected[1], own, V)) << V;
}

class VocabularyOverRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Counts, VocabularyOverRanks, testing::Values(1, 2, 3, 4));

/// Also of fewer tokens than ranks.
TEST_P(VocabularyOverRanks, HasTheBitsOfOneProcess) {
  const auto sentences = RunOnThreads(GetParam(), std::chrono::seconds(20), [](TestRank& self) {
    const auto stream = self.device.MakeStream(StreamRole::kCompute);
    const auto comm = MakeCommunicator("threads", self.settings);
    MemoryLedger ledger;
    TensorGroup group(*comm, *stream, ledger);
    for (const int64_t V : {1, 2, 3, 7, 50, 1500}) CheckVocabulary(V, group);
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
}

}  // namespace
}  // namespace zerocts::engine
