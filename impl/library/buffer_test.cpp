#include <gtest/gtest.h>
#include <zerocts/engine.hpp>

#include "impl/library/for_test/sentences.hpp"
#include "impl/library/for_test/training.hpp"
#include "reference/numerics/bf16.hpp"

namespace zerocts::library {
namespace {

TEST(LibraryBuffer, FallsIntoOneEqualShardPerRank) {
  RunOnThreads(3, [](const Communicator& communicator) {
    const Buffer buffer(communicator, {5, 0, 8}, Precision::kFp32, 4);
    EXPECT_EQ(buffer.numel(), 24);  // 13 and padding, a multiple of 3 ranks times 4
    EXPECT_EQ(buffer.shard_numel(), 8);
    const auto* data = static_cast<const float*>(buffer.data());
    EXPECT_EQ(buffer.tensor(2), data + 5);
    EXPECT_EQ(buffer.shard(), data + 8 * communicator.rank());
    EXPECT_EQ(std::vector<float>(data, data + 24), std::vector<float>(24));
  });
}

TEST(LibraryBuffer, AddsRanksInOrder) {
  RunOnThreads(3, [](const Communicator& communicator) {
    for (const GradientReduction reduction : {GradientReduction::kSum, GradientReduction::kMean}) {
      Buffer buffer(communicator, kSizes, Precision::kFp32);
      const Tensors mine = GradientsOf(0, communicator.rank());
      for (int t = 0; t < buffer.tensors(); ++t) buffer.Accumulate(t, mine[t].data());
      buffer.ReduceScatter(reduction);
      buffer.AllGather();
      const Tensors g[] = {GradientsOf(0, 0), GradientsOf(0, 1), GradientsOf(0, 2)};
      const float divisor = reduction == GradientReduction::kMean ? 3.0f : 1.0f;
      for (int t = 0; t < buffer.tensors(); ++t) {
        const std::vector<float> got = buffer.Read(t);
        for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], ((g[0][t][i] + g[1][t][i]) + g[2][t][i]) / divisor);
      }
    }
  });
}

TEST(LibraryBuffer, RoundsEveryAdditionOfBf16) {
  RunOnThreads(3, [](const Communicator& communicator) {
    // 256 + 1 is 256 in bf16, and again; in fp32 it would be 258.
    const Bf16 mine = ToBf16(communicator.rank() == 0 ? 256.0f : 1.0f);
    Buffer buffer(communicator, {1, 4}, Precision::kBf16);
    const std::vector<Bf16> values(4, mine);
    buffer.Accumulate(0, &mine);
    buffer.Accumulate(1, values.data());
    buffer.ReduceScatter(GradientReduction::kSum);
    buffer.AllGather();
    EXPECT_EQ(buffer.Read(0), std::vector<float>(1, 256.0f));
    EXPECT_EQ(buffer.Read(1), std::vector<float>(4, 256.0f));
  });
}

TEST(LibraryBuffer, AccumulatesInPlace) {
  const Communicator alone = Communicator::Alone();
  Buffer wide(alone, {1, 3}, Precision::kFp32);
  auto* const own = static_cast<float*>(wide.tensor(1));
  own[2] = 4.0f;
  const std::vector<float> added = {1.0f, 2.0f, 3.0f};
  wide.Accumulate(1, added.data());
  wide.Accumulate(1, added.data());
  EXPECT_EQ(std::vector<float>(own, own + 3), (std::vector<float>{2.0f, 4.0f, 10.0f}));
  EXPECT_EQ(wide.Read(0), std::vector<float>(1));

  Buffer narrow(alone, {1}, Precision::kBf16);
  narrow.Write(0, {256.0f});
  const Bf16 one = ToBf16(1.0f);
  narrow.Accumulate(0, &one);
  EXPECT_EQ(narrow.Read(0), std::vector<float>(1, 256.0f));
}

TEST(LibraryBuffer, RefusesBySentences) {
  const Communicator alone = Communicator::Alone();
  ExpectHas(SentenceOf([&] { Buffer(alone, {}, Precision::kFp32); }), "expected at least one");
  Buffer buffer(alone, {3}, Precision::kFp32);
  ExpectHas(SentenceOf([&] { buffer.Write(0, {1.0f}); }), "expected 3 elements, got 1");
  EXPECT_THROW(buffer.Read(1), std::out_of_range);
}

}  // namespace
}  // namespace zerocts::library
