#include "impl/layout/plan_costs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>

#include "impl/layout/for_test/plan_requests.hpp"

namespace zerocts::engine {
namespace {

constexpr Precision kFp32 = Precision::kFp32, kBf16 = Precision::kBf16;

/// Rank 0's bytes for one parameter of `numel` elements in bf16 with bf16 gradients and AdamW: K = 12 in the paper.
int64_t MixedPrecisionBytes(int64_t numel, int shards, int stage) {
  return CostsOf(MakeLayout(RequestOf("contiguous", {numel}, shards)), {stage, kBf16, kBf16}).ranks[0].held_bytes();
}

TEST(PlanCosts, AreThoseOfThePaperFor7500MillionParametersOn64Ranks) {
  constexpr int64_t kPsi = 7500000000;
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 64, 0), 120000000000);  // 16 Psi: 120 GB
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 64, 1), 31406250000);   // 4 Psi + 12 Psi / 64: 31.4 GB
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 64, 2), 16640625000);   // 2 Psi + 14 Psi / 64: 16.6 GB
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 64, 3), 1875000000);    // 16 Psi / 64: 1.88 GB
}

TEST(PlanCosts, AreThoseOfThePaperForAMillionMillionParametersOn1024Ranks) {
  constexpr int64_t kPsi = 1000000000000;
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 1024, 0), 16000000000000);  // 16 TB
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 1024, 1), 4011718750000);   // 4.01 TB
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 1024, 2), 2013671875000);   // 2.01 TB
  EXPECT_EQ(MixedPrecisionBytes(kPsi, 1024, 3), 15625000000);     // 15.6 GB
}

TEST(PlanCosts, AreThoseOfMegatronsDistributedOptimizer) {
  const auto bytes = [](Precision parameters) {
    return CostsOf(MakeLayout(RequestOf("padded", {8000}, 8)), {1, parameters, kFp32}).ranks[7].held_bytes();
  };
  EXPECT_EQ(bytes(kBf16), 8000 * 6 + 1000 * 12);  // 6 + 12 / d per parameter
  EXPECT_EQ(bytes(kFp32), 8000 * 8 + 1000 * 8);   // 8 + 8 / d
}

TEST(PlanCosts, OfEntrenarsMillionParameters) {
  const auto state = [](int shards, int stage) {
    return CostsOf(MakeLayout(RequestOf("contiguous", {1000000}, shards)), {stage}).ranks[0].optimizer_bytes;
  };
  EXPECT_EQ(state(4, 0), 8000000);
  EXPECT_EQ(state(4, 1), 2000000);
}

/// Elements that one rank sends in a step of one micro-batch.
int64_t Sent(int stage) {
  const RankCosts rank = CostsOf(MakeLayout(RequestOf("padded", {6000}, 3)), {stage}).ranks[2];
  EXPECT_EQ(rank.reduce_scatter.sent_numel, rank.reduce_scatter.received_numel);
  EXPECT_EQ(rank.all_gather.sent_numel, rank.all_gather.received_numel);
  return rank.reduce_scatter.sent_numel + rank.all_gather.sent_numel;
}

TEST(PlanCosts, OfTrafficAreThoseOfThePaper) {
  EXPECT_EQ(Sent(0), 8000);  // 2 * 6000 * 2 / 3
  EXPECT_EQ(Sent(1), 8000);
  EXPECT_EQ(Sent(2), 8000);
  EXPECT_EQ(Sent(3), 12000);  // 3 * 6000 * 2 / 3
}

TEST(PlanCosts, OfUnevenPartsAreWhatADirectExchangeMoves) {
  const PlanCosts costs = CostsOf(MakeLayout(RequestOf("round-robin", {7, 1, 2, 3}, 3)), {1, kBf16, kFp32});
  EXPECT_EQ(costs.ranks[0].reduce_scatter, (PlannedTraffic{3, 20, 12, 80}));  // 10 of its own
  EXPECT_EQ(costs.ranks[0].all_gather, (PlannedTraffic{20, 3, 40, 6}));
  EXPECT_EQ(costs.ranks[1].reduce_scatter, (PlannedTraffic{12, 2, 48, 8}));
  EXPECT_EQ(costs.ranks[2].all_gather, (PlannedTraffic{4, 11, 8, 22}));
}

TEST(PlanCosts, CountMicroBatches) {
  const Layout layout = MakeLayout(RequestOf("padded", {6000}, 3));
  const auto rank = [&](int stage, bool each) { return CostsOf(layout, {stage, kBf16, kFp32, 2, 5, each}).ranks[0]; };
  for (int stage = 0; stage <= 3; ++stage) {
    EXPECT_EQ(rank(stage, false).reduce_scatter.sent_numel, 4000) << stage;
    EXPECT_EQ(rank(stage, true).reduce_scatter.sent_numel, 5 * 4000) << stage;
  }
  EXPECT_EQ(rank(0, true).all_gather, (PlannedTraffic{20000, 20000, 80000, 80000}));  // gradients
  EXPECT_EQ(rank(2, true).all_gather, (PlannedTraffic{4000, 4000, 8000, 8000}));
  EXPECT_EQ(rank(3, false).all_gather, (PlannedTraffic{40000, 40000, 80000, 80000}));
  EXPECT_EQ(rank(1, false).accumulation_bytes, 0);
  EXPECT_EQ(rank(2, false).accumulation_bytes, 16000);
  EXPECT_EQ(rank(3, true).accumulation_bytes, 0);
}

TEST(PlanCosts, CountReplicas) {
  const PlanCosts costs = CostsOf(MakeLayout(RequestOf("contiguous", {7}, 3)), {3, kFp32, kBf16, 0, 1, false, 2});
  ASSERT_EQ(costs.ranks.size(), 6u);
  EXPECT_EQ(costs.ranks[0].replica_all_reduce, (PlannedTraffic{3, 3, 6, 6}));  // 3 elements: 2 n (R - 1) / R
  EXPECT_EQ(costs.ranks[3].replica_all_reduce, (PlannedTraffic{3, 3, 6, 6}));
  EXPECT_EQ(costs.ranks[4].replica_all_reduce, (PlannedTraffic{2, 2, 4, 4}));
  EXPECT_EQ(costs.ranks[5].parameter_bytes, 8);
  EXPECT_EQ(costs.ranks[5].optimizer_bytes, 0);
  for (int stage = 0; stage <= 3; ++stage) {
    EXPECT_EQ(CostsOf(MakeLayout(RequestOf("contiguous", {7}, 3)), {stage}).ranks[1].replica_all_reduce,
              PlannedTraffic());
  }
}

TEST(PlanCosts, NamePaddingSeparately) {
  const Layout layout = MakeLayout(RequestOf("padded", {5, 2}, 3));  // parts of 3; rank 2 has 1 element, 2 are padding
  const RankCosts stage3 = CostsOf(layout, {3, kBf16, kFp32}).ranks[2];
  EXPECT_EQ(stage3.parameter_bytes, 2);
  EXPECT_EQ(stage3.gradient_bytes, 4);
  EXPECT_EQ(stage3.optimizer_bytes, 12);
  EXPECT_EQ(stage3.padding_bytes, 2 * (2 + 4 + 12));
  EXPECT_EQ(CostsOf(layout, {1, kBf16, kFp32}).ranks[0].padding_bytes, 2 * (2 + 4));
}

RC_GTEST_PROP(PlanCosts, OfAllRanksHoldEverythingOnceAndReceiveWhatIsSent, ()) {
  const Layout layout = MakeLayout(AnyPlanRequest());
  const int64_t total = std::accumulate(layout.numel.begin(), layout.numel.end(), int64_t{0});
  const int replicas = *Uniform(1, 4);
  const PlanCosts costs = CostsOf(layout, {3, kBf16, kFp32, 2, 1, false, replicas});
  RankCosts sum;
  PlannedTraffic scatter, gather;
  for (const RankCosts& rank : costs.ranks) {
    sum.parameter_bytes += rank.parameter_bytes;
    sum.optimizer_bytes += rank.optimizer_bytes;
    sum.padding_bytes += rank.padding_bytes;
    scatter.sent_numel += rank.reduce_scatter.sent_numel;
    scatter.received_numel += rank.reduce_scatter.received_numel;
    gather.sent_numel += rank.all_gather.sent_numel;
    gather.received_numel += rank.all_gather.received_numel;
  }
  RC_ASSERT(sum.parameter_bytes == replicas * 2 * total);
  RC_ASSERT(sum.optimizer_bytes == replicas * 12 * total);
  RC_ASSERT(sum.padding_bytes == replicas * 18 * (layout.padded_numel() - total));
  RC_ASSERT(scatter.sent_numel == replicas * (layout.shards() - 1) * layout.padded_numel());
  RC_ASSERT(scatter.received_numel == scatter.sent_numel);
  RC_ASSERT(gather.received_numel == gather.sent_numel);
  RC_ASSERT(gather.sent_numel == 2 * scatter.sent_numel);
}

RC_GTEST_PROP(PlanCosts, CountTheElementsOfPieces, ()) {
  const Layout layout = MakeLayout(AnyPlanRequest());
  const std::vector<int64_t> elements = ElementsOfShards(layout);
  for (int shard = 0; shard < layout.shards(); ++shard) {
    int64_t numel = 0;
    for (const Piece& piece : layout.PiecesOf(shard)) numel += piece.numel();
    RC_ASSERT(elements[shard] == numel);
  }
}

TEST(PlanCosts, PrintATable) {
  EXPECT_EQ(ToString(CostsOf(MakeLayout(RequestOf("contiguous", {10}, 3)), {2, kBf16, kFp32})),
            "contiguous, stage 2, bf16 parameters, fp32 gradients, 2 moments, 1 micro-batches, gradients reduced 1 "
            "times per step, 1 replicas of 3 shards\n"
            "per rank                                           least                most               all ranks\n"
            "parameters, bytes                                     20                  20                      60\n"
            "gradients, bytes                                      12                  16                      40\n"
            "optimizer state, bytes                                36                  48                     120\n"
            "padding, bytes                                         0                   0                       0\n"
            "held between steps, bytes                             68                  84                     220\n"
            "more while accumulating, bytes                         0                   0                       0\n"
            "reduce-scatter sent, elements                          6                   7                      20\n"
            "reduce-scatter received, elements                      6                   8                      20\n"
            "reduce-scatter sent, bytes                            24                  28                      80\n"
            "reduce-scatter received, bytes                        24                  32                      80\n"
            "all-gather sent, elements                              6                   8                      20\n"
            "all-gather received, elements                          6                   7                      20\n"
            "all-gather sent, bytes                                12                  16                      40\n"
            "all-gather received, bytes                            12                  14                      40");
}

TEST(PlanCosts, RefuseWhatMakesNoSense) {
  const Layout layout = MakeLayout(RequestOf("contiguous", {10}, 3));
  EXPECT_THROW(CostsOf(layout, {4}), std::invalid_argument);
  EXPECT_THROW(CostsOf(layout, {3, kFp32, kFp32, 3}), std::invalid_argument);
  EXPECT_THROW(CostsOf(layout, {3, kFp32, kFp32, 2, 0}), std::invalid_argument);
  EXPECT_THROW(CostsOf(layout, {3, kFp32, kFp32, 2, 1, false, 0}), std::invalid_argument);
  EXPECT_THROW(CostsOf(MakeLayout(RequestOf("contiguous", {int64_t{1} << 62}, 3)), {3}), std::invalid_argument);
}

TEST(PlanCosts, OfAMillionMillionParametersOn16384RanksTakeAMoment) {
  const auto begin = std::chrono::steady_clock::now();
  PlanRequest request = RequestOf("contiguous", {}, 16384);
  for (int p = 0; p < 100000; ++p) request.parameters.push_back({"p", {10000000}, p / 1000});
  const Layout layout = MakeLayout(request);
  EXPECT_EQ(Problem(layout), "");
  EXPECT_EQ(CostsOf(layout, {3, kBf16, kBf16}).ranks[0].held_bytes(), 16 * 61035157ll);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 5.0);
}

}  // namespace
}  // namespace zerocts::engine
