#include "impl/tensor_parallel/sequence_parallel.hpp"

#include <gtest/gtest.h>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/tensor_parallel/for_test/model_runs.hpp"
#include "impl/tensor_parallel/layers.hpp"
#include "reference/model/test_tensors.hpp"

namespace zerocts::engine {
namespace {

/// body(comm, stream) on each rank.
template <typename Body>
void OnTensorRanks(int ranks, const std::string& where, Body body) {
  const auto sentences = RunOnThreads(ranks, std::chrono::seconds(20), [&](TestRank& self) {
    const auto stream = self.device.MakeStream(StreamRole::kCompute);
    const auto comm = MakeCommunicator("threads", self.settings);
    body(*comm, *stream);
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "") << where;
}

GptSpec SequenceParallel(int64_t context, bool tied, const SliceOrder& order) {
  return {.vocab = 7,
          .context = context,
          .layers = 2,
          .heads = 12,
          .width = 24,
          .tied = tied,
          .slice_order = order,
          .sequence_parallel = true};
}

class PositionsOnRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Counts, PositionsOnRanks, testing::Values(1, 2, 3, 4));

/// Contexts that the ranks divide, do not divide, and outnumber.
TEST_P(PositionsOnRanks, HaveTheBitsOfOneProcess) {
  for (const int64_t context : {1, 3, 7, 12}) {
    for (const bool tied : {false, true}) {
      for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
        for (const SliceOrder& order : {SliceOrder{12}, SliceOrder{24, Rounding::kBf16}}) {
          GptSpec spec = SequenceParallel(context, tied, order);
          spec.vocab_parallel = context % 2 == 1 && order.slices == 12;
          const std::string where = ToString(precision) + (tied ? ", tied, " : ", ") + std::to_string(context);
          OnTensorRanks(GetParam(), where,
                        [&](Communicator& comm, DeviceStream& stream) { CheckModel(spec, precision, comm, stream); });
        }
      }
    }
  }
}

/// Two heads of queries share keys and values, or all that a rank has of them do.
TEST_P(PositionsOnRanks, OfGroupedQueriesHaveTheBitsOfOneProcess) {
  for (const int64_t kv_heads : {12, 24}) {
    for (const bool split_positions : {false, true}) {
      for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
        GptSpec spec = SequenceParallel(5, true, {12});
        spec.heads = spec.width = 48;
        spec.kv_heads = kv_heads;
        spec.sequence_parallel = split_positions;
        OnTensorRanks(GetParam(), ToString(precision) + ", kv_heads " + std::to_string(kv_heads),
                      [&](Communicator& comm, DeviceStream& stream) { CheckModel(spec, precision, comm, stream); });
      }
    }
  }
}

/// What rank 0 of `ranks` holds for one more block.
int64_t BytesOfABlock(int ranks, const GptSpec& spec, Precision precision) {
  GptSpec more = spec;
  more.layers += 1;
  int64_t bytes = 0;
  OnTensorRanks(ranks, "", [&](Communicator& comm, DeviceStream& stream) {
    const int64_t before = ActivationBytes(spec, precision, 3, comm, stream);
    const int64_t after = ActivationBytes(more, precision, 3, comm, stream);
    if (comm.rank() == 0) bytes = after - before;
  });
  return bytes;
}

/// All activations of a block are split. A rank has whole what sums gradients of C channels: of norms two times two
/// tensors [C], of biases two; two of each.
TEST(SequenceParallel, LeavesARankItsShareOfABlock) {
  const GptSpec split = SequenceParallel(12, true, {12});
  GptSpec whole = split;
  whole.sequence_parallel = false;
  const int64_t sums = 2 * (4 + 2) * split.width * 4, stream = 3 * split.context * split.width * 4;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    const int64_t of_one = BytesOfABlock(1, split, precision);
    for (const int ranks : {2, 4}) {
      const int64_t of_rank = BytesOfABlock(ranks, split, precision);
      EXPECT_EQ((of_rank - sums) * ranks, of_one - sums) << ranks;
      EXPECT_GT(BytesOfABlock(ranks, whole, precision), of_rank + 6 * (stream - stream / ranks)) << "the control";
    }
  }
}

/// Each of 4 ranks has 3 of 12 positions and 3 of 12 slices of 5 outputs: three others send 3 slices of 3 rows of each
/// sequence.
TEST(SequenceParallel, MovesSumsOfOwnRowsAlone) {
  const LinearShape shape{
      .I = 24, .O = 5, .rows = 12, .split = TensorSplit::kInputs, .order = {12}, .sequence_parallel = true};
  OnTensorRanks(4, "", [&](Communicator& comm, DeviceStream& stream) {
    MemoryLedger ledger;
    TensorGroup group(comm, stream, ledger);
    const auto layer = TensorParallelLayers(group).MakeLinear("linear", shape, Precision::kFp32);
    constexpr int64_t kB = 2;
    const Floats weight = RandomFloats(5 * 6, 1), bias = RandomFloats(5, 2);
    Floats in = RandomFloats(kB * 12 * 6, 3);
    const float* parameters[] = {weight.data(), bias.data()};
    layer->Forward(HostOps(), {nullptr, nullptr, kB}, parameters, in.data());
    stream.Synchronize();
    EXPECT_EQ(comm.traffic().reduce_scatter.received_bytes, 3 * (3 * kB * 3 * 5) * 4);
    EXPECT_EQ(comm.traffic().all_gather.calls, 0);
  });
}

}  // namespace
}  // namespace zerocts::engine
