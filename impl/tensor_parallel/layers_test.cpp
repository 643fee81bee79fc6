#include "impl/tensor_parallel/layers.hpp"

#include <gtest/gtest.h>

#include "impl/comm/for_test/ranks.hpp"
#include "impl/tensor_parallel/for_test/layer_runs.hpp"
#include "impl/tensor_parallel/slice_sum_over_ranks.hpp"

namespace zerocts::engine {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);

class TensorRanks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Counts, TensorRanks, testing::Values(1, 2, 3, 4));

TEST_P(TensorRanks, HaveTheBitsOfOneProcess) {
  const auto sentences = RunOnThreads(GetParam(), kPatience, [](TestRank& self) {
    const auto stream = self.device.MakeStream(StreamRole::kCompute);
    const auto comm = MakeCommunicator("threads", self.settings);
    for (const LinearShape& shape : LayersToCheck()) {
      for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
        SCOPED_TRACE(NameOf(shape, precision));
        CheckLayer(shape, precision, *comm, *stream);
      }
    }
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
}

TEST(LayersToCheck, TellOrdersApart) {
  int differ = 0;
  for (const LinearShape& shape : LayersToCheck()) {
    for (const Precision precision : {Precision::kFp32, Precision::kBf16}) differ += OrdersDiffer(shape, precision);
  }
  EXPECT_GT(differ, 40);
}

TEST(TensorParallelLayers, RefuseSlicesThatRanksDoNotDivide) {
  const auto sentences = RunOnThreads(2, kPatience, [](TestRank& self) {
    const auto stream = self.device.MakeStream(StreamRole::kCompute);
    const auto comm = MakeCommunicator("threads", self.settings);
    CheckLayer({.I = 6, .O = 6, .order = {3}}, Precision::kFp32, *comm, *stream);
  });
  for (const std::string& sentence : sentences) {
    EXPECT_EQ(sentence, "2 tensor ranks add sums in slices(3): expected slices that they divide");
  }
}

TEST(TensorParallelLayers, ComputeAReplicatedLayerOnEachRank) {
  const auto sentences = RunOnThreads(2, kPatience, [](TestRank& self) {
    const auto stream = self.device.MakeStream(StreamRole::kCompute);
    const auto comm = MakeCommunicator("threads", self.settings);
    MemoryLedger ledger;
    TensorGroup group(*comm, *stream, ledger);
    const auto layer = TensorParallelLayers(group).MakeLinear(
        "head", {.I = 4, .O = 6, .order = {2}, .replicated = true}, Precision::kFp32);
    const UnitParameter weight = layer->parameters().front();
    if (weight.spec.shape != std::vector<int64_t>{6, 4} || !weight.cut.replicated()) throw std::runtime_error("is cut");
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
}

TEST(TensorGroup, HoldsOneWindowThatTheLedgerCounts) {
  const auto sentences = RunOnThreads(2, kPatience, [](TestRank& self) {
    const auto stream = self.device.MakeStream(StreamRole::kCompute);
    const auto comm = MakeCommunicator("threads", self.settings);
    MemoryLedger ledger;
    {
      TensorGroup group(*comm, *stream, ledger);
      for (const auto& [numel, held] : {std::pair(100, 400), {1000, 4000}, {10, 4000}}) {
        group.Window(numel);
        EXPECT_EQ(ledger[MemoryKind::kBuffer], held) << numel;
      }
    }
    EXPECT_EQ(ledger.total(), 0);
    EXPECT_EQ(ledger.peak(), 4000) << "two windows at once";
  });
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
}

}  // namespace
}  // namespace zerocts::engine
