#include "conformance/check/costs.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

/// Three ranks, one parameter of 9 elements, which S = 3 divides: at most 2 elements of padding are allowed for.
Case ThreeRanks(int stage) {
  Case c;
  c.stage = stage;
  c.experiment.world_size = 3;
  c.experiment.parameters = {{"p", {9}, 0}};
  c.experiment.steps = 1;
  return c;
}

std::vector<RankObservation> Moving(uint64_t reduce_scatter, uint64_t all_gather, uint64_t calls = 1) {
  std::vector<RankObservation> ranks(3);
  for (RankObservation& rank : ranks) {
    rank.traffic = {{.step = 0,
                     .reduce_scatter = {calls, reduce_scatter, reduce_scatter},
                     .all_gather = {calls, all_gather, all_gather},
                     .all_reduce = {1, 100000, 100000},
                     .broadcast = {}}};
  }
  return ranks;
}

/// Ranks whose counter counts nothing.
std::vector<RankObservation> Silent() {
  std::vector<RankObservation> ranks(3);
  for (RankObservation& rank : ranks) rank.traffic = {{}};
  return ranks;
}

TEST(Traffic, OfEachStageIsThePapers) {
  // Per rank 2/3 of 9 elements of 4 bytes for a reduce-scatter or an all-gather: 24 bytes.
  EXPECT_EQ(TrafficBoundOf(ThreeRanks(1)).bytes, 2u * 2 * (9 + 2) * 4);
  EXPECT_EQ(TrafficBoundOf(ThreeRanks(3)).bytes, 3u * 2 * (9 + 2) * 4);
  EXPECT_FALSE(CheckTraffic(ThreeRanks(1), Moving(24, 24)));
  EXPECT_TRUE(CheckTraffic(ThreeRanks(1), Moving(24, 48))) << "every all-gather twice";
  EXPECT_FALSE(CheckTraffic(ThreeRanks(3), Moving(24, 48))) << "before forward and before backward";
  EXPECT_TRUE(CheckTraffic(ThreeRanks(2), Moving(48, 24))) << "an all-reduce for a reduce-scatter";
}

TEST(Traffic, OfEveryMicroBatchCountsWhereRanksMeetAfterEach) {
  Case c = ThreeRanks(2);
  c.experiment.micro_batches = 3;
  EXPECT_TRUE(CheckTraffic(c, Moving(3 * 24, 24)));
  c.gradient_sync = GradientSync::kEach;
  EXPECT_FALSE(CheckTraffic(c, Moving(3 * 24, 24)));
}

TEST(Traffic, IsInFewCalls) {
  const auto finding = CheckTraffic(ThreeRanks(1), Moving(24, 24, 7));
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->sentence.find("made 7 reduce-scatters, expected at most 4"), std::string::npos)
      << finding->sentence;
}

TEST(Traffic, OfWholeRowsMayPadEveryRank) {
  Case c = ThreeRanks(1);
  c.experiment.parameters = {{"p", {4, 5}, 0}, {"scalar", {}, 0}, {"empty", {0, 7}, 0}};
  EXPECT_EQ(TrafficBoundOf(c).bytes, 2u * 2 * (20 + 2 + 1 + 2 + 2) * 4);
  EXPECT_EQ(TrafficBoundOf(c, {.granularity = Granularity::kRow}).bytes, 2u * 2 * 3 * (2 * 5 + 1) * 4);
}

TEST(Traffic, OfUnitsHasCallsOfItsOwnForEach) {
  Case c = ThreeRanks(3);
  c.experiment.parameters = {{"p", {3}, 0}, {"q", {3}, 0}, {"r", {3}, 0}, {"s", {3}, 0}, {"t", {3}, 0}};
  const TrafficLimits units{.parameters_per_unit = 2};
  EXPECT_FALSE(CheckTraffic(c, Moving(24, 48, 9), units)) << "3 units, reduced once and gathered twice";
  const auto finding = CheckTraffic(c, Moving(24, 48, 10), units);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->sentence.find("at most 9 for 5 parameters in units of 2"), std::string::npos) << finding->sentence;
}

TEST(Traffic, MayBePassedOnByARankOfAnotherReplica) {
  Case c = ThreeRanks(1);
  c.replicas = 3;
  const uint64_t bound = TrafficBoundOf(c).bytes;
  EXPECT_EQ(bound, 2u * 2 * (9 + 3 * (1 + c.experiment.groups.size())) * 4 / 3);
  auto ranks = Moving(24, 24);
  ranks[1].traffic[0].all_gather.sent_bytes += bound - 48 + 1;
  EXPECT_FALSE(CheckTraffic(c, ranks)) << "more than one replica's share";
  ranks[2].traffic[0].all_gather.sent_bytes += 2 * (bound - 48);
  EXPECT_TRUE(CheckTraffic(c, ranks)) << "more than all shares";
  ranks = Moving(24, 24);
  ranks[1].traffic[0].all_gather.received_bytes += bound - 48 + 1;
  EXPECT_TRUE(CheckTraffic(c, ranks)) << "nobody receives for another replica";
}

TEST(Traffic, OfReplicasIsRoundedUpInEachUnitOfAModel) {
  Case c = ThreeRanks(2);
  c.experiment.world_size = c.replicas = 7;
  c.experiment.model = MlpSpec{};
  c.experiment.parameters.assign(7, {"p", {1}, 0});
  // In four units of 1, 2, 2 and 2 elements the first replica adds one element each, and gets the three others.
  EXPECT_GE(TrafficBoundOf(c).bytes, 4u * (4 * 6 + 3));
}

TEST(Traffic, HasToBeCounted) {
  auto ranks = Moving(24, 24);
  ranks[1].traffic.clear();
  EXPECT_TRUE(CheckTraffic(ThreeRanks(1), ranks));
  EXPECT_TRUE(CheckTraffic(ThreeRanks(1), Silent()));
  Case c = ThreeRanks(1);
  c.experiment.parameters = {{"empty", {0}, 0}};
  EXPECT_FALSE(CheckTraffic(c, Silent())) << "nothing to move";
}

TEST(OverlapOfSpans, IsOneCollectiveDuringOneComputation) {
  std::vector<RankObservation> ranks(3);
  ranks[1].timeline = {{.step = 0, .name = "backward", .index = 1, .begin_ns = 10, .end_ns = 20},
                       {.step = 0, .name = "reduce_scatter", .index = 0, .begin_ns = 20, .end_ns = 30},
                       {.step = 1, .name = "backward", .index = 0, .begin_ns = 22, .end_ns = 28}};
  EXPECT_TRUE(CheckOverlap(ThreeRanks(2), ranks));
  ranks[1].timeline.push_back({.step = 0, .name = "backward", .index = 0, .begin_ns = 29, .end_ns = 40});
  EXPECT_FALSE(CheckOverlap(ThreeRanks(2), ranks));
}

}  // namespace
}  // namespace zerocts
