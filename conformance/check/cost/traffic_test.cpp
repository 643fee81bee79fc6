#include "conformance/check/cost/traffic.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace zerocts {
namespace {

std::optional<Finding> Traffic(const Case& c, const std::vector<RankObservation>& ranks,
                               const TrafficLimits& limits = {}) {
  Evidence evidence;
  return CheckTraffic(c, ranks, limits, evidence);
}

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
                     .all_reduce = {1, 8192, 8192},
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

TEST(TrafficOfCase, OfEachStageIsThePapers) {
  // Per rank 2/3 of 9 elements of 4 bytes for a reduce-scatter or an all-gather: 24 bytes.
  EXPECT_EQ(MostTrafficOf(ThreeRanks(1)).bytes, 2u * 2 * (9 + 2) * 4);
  EXPECT_EQ(MostTrafficOf(ThreeRanks(3)).bytes, 3u * 2 * (9 + 2) * 4);
  EXPECT_FALSE(Traffic(ThreeRanks(1), Moving(24, 24)));
  EXPECT_TRUE(Traffic(ThreeRanks(1), Moving(24, 48))) << "every all-gather twice";
  EXPECT_FALSE(Traffic(ThreeRanks(3), Moving(24, 48))) << "before forward and before backward";
  EXPECT_TRUE(Traffic(ThreeRanks(2), Moving(48, 24))) << "an all-reduce for a reduce-scatter";
}

TEST(TrafficOfCase, OfEveryMicroBatchCountsWhereRanksMeetAfterEach) {
  Case c = ThreeRanks(2);
  c.experiment.micro_batches = 3;
  EXPECT_TRUE(Traffic(c, Moving(3 * 24, 24)));
  c.gradient_sync = GradientSync::kEveryMicroBatch;
  EXPECT_FALSE(Traffic(c, Moving(3 * 24, 24)));
}

TEST(TrafficOfCase, IsInFewCalls) {
  const auto finding = Traffic(ThreeRanks(1), Moving(24, 24, 7));
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->sentence.find("made 7 reduce-scatters, expected at most 4"), std::string::npos)
      << finding->sentence;
}

TEST(TrafficOfCase, OfWholeRowsMayPadEveryRank) {
  Case c = ThreeRanks(1);
  c.experiment.parameters = {{"p", {4, 5}, 0}, {"scalar", {}, 0}, {"empty", {0, 7}, 0}};
  EXPECT_EQ(MostTrafficOf(c).bytes, 2u * 2 * (20 + 2 + 1 + 2 + 2) * 4);
  EXPECT_EQ(MostTrafficOf(c, {.granularity = Granularity::kRow}).bytes, 2u * 2 * 3 * (2 * 5 + 1) * 4);
}

TEST(TrafficOfCase, OfUnitsHasCallsOfItsOwnForEach) {
  Case c = ThreeRanks(3);
  c.experiment.parameters = {{"p", {3}, 0}, {"q", {3}, 0}, {"r", {3}, 0}, {"s", {3}, 0}, {"t", {3}, 0}};
  const TrafficLimits units{.parameters_per_unit = 2};
  EXPECT_FALSE(Traffic(c, Moving(24, 48, 9), units)) << "3 units, reduced once and gathered twice";
  const auto finding = Traffic(c, Moving(24, 48, 10), units);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->sentence.find("at most 9 for 5 parameters in units of 2"), std::string::npos) << finding->sentence;
}

TEST(TrafficOfCase, MayBePassedOnByARankOfAnotherReplica) {
  Case c = ThreeRanks(1);
  c.replicas = 3;
  const uint64_t most = MostTrafficOf(c).bytes;
  EXPECT_EQ(most, 2u * 2 * (9 + 3 * (1 + c.experiment.groups.size())) * 4 / 3);
  auto ranks = Moving(most / 2, most / 2);
  EXPECT_FALSE(Traffic(c, ranks));
  for (const int other : {0, 2}) ranks[other].traffic[0].all_gather.sent_bytes = 0;
  ranks[1].traffic[0].all_gather.sent_bytes *= 3;
  EXPECT_FALSE(Traffic(c, ranks)) << "more than one replica's share";
  ranks[1].traffic[0].reduce_scatter.sent_bytes += 2;
  EXPECT_TRUE(Traffic(c, ranks)) << "more than all shares";
  ranks = Moving(most / 2, most / 2);
  ranks[0].traffic[0].all_gather.received_bytes -= 2;
  ranks[1].traffic[0].all_gather.received_bytes += 2;
  EXPECT_TRUE(Traffic(c, ranks)) << "nobody receives for another replica";
}

TEST(TrafficOfCase, OfReplicasIsRoundedUpInEachUnitOfAModel) {
  Case c = ThreeRanks(2);
  c.experiment.world_size = c.replicas = 7;
  c.experiment.model = MlpSpec{.hidden = {64, 64}};
  c.experiment.parameters.assign(7, {"p", {1, 1}, 0});
  // In four units of 1, 2, 2 and 2 elements the first replica adds one element each, and gets the three others.
  EXPECT_GE(MostTrafficOf(c).bytes, 4u * (4 * 6 + 3));
}

TEST(TrafficOfCase, HasToBeCounted) {
  auto ranks = Moving(24, 24);
  ranks[1].traffic.clear();
  EXPECT_TRUE(Traffic(ThreeRanks(1), ranks));
  EXPECT_TRUE(Traffic(ThreeRanks(1), Silent()));
  Case c = ThreeRanks(1);
  c.experiment.parameters = {{"empty", {0}, 0}};
  EXPECT_FALSE(Traffic(c, Silent())) << "nothing to move";
}

/// As ThreeRanks, with parameters that no allowance hides: a reduce-scatter or an all-gather moves kPart bytes per
/// rank.
constexpr uint64_t kPart = 24 << 15;
Case ThreeLargeRanks(int stage) {
  Case c = ThreeRanks(stage);
  c.experiment.parameters = {{"p", {9 << 15}, 0}};
  return c;
}

std::string TrafficSentence(const Case& c, const std::vector<RankObservation>& ranks) {
  const auto finding = Traffic(c, ranks);
  return finding ? finding->sentence : "nothing";
}

std::vector<RankObservation> AllReducing(uint64_t all_reduce, uint64_t reduce_scatter, uint64_t all_gather) {
  auto ranks = Moving(reduce_scatter, all_gather);
  for (RankObservation& rank : ranks) rank.traffic[0].all_reduce = {1, all_reduce, all_reduce};
  return ranks;
}

TEST(TrafficOfCase, CountsAllReducesInEveryStage) {
  EXPECT_EQ(TrafficSentence(ThreeLargeRanks(0), AllReducing(2 * kPart, 0, 0)), "nothing");
  EXPECT_EQ(TrafficSentence(ThreeLargeRanks(1), AllReducing(2 * kPart, 0, kPart)), "nothing") << "whole gradients stay";
  EXPECT_NE(TrafficSentence(ThreeLargeRanks(1), AllReducing(2 * kPart, kPart, kPart)), "nothing");
  EXPECT_NE(TrafficSentence(ThreeLargeRanks(2), AllReducing(2 * kPart, 0, kPart)), "nothing");
  for (const int stage : {0, 1, 2, 3}) {
    EXPECT_NE(TrafficSentence(ThreeLargeRanks(stage), AllReducing(200 * kPart, 0, kPart)).find("expected at most"),
              std::string::npos)
        << "stage " << stage;
  }
}

TEST(TrafficOfCase, IsNoLessThanTheGradientsThatHaveToLeaveTheirRanks) {
  const Case c = ThreeLargeRanks(2);
  EXPECT_EQ(LeastTrafficOf(c, 0), 3 * kPart);
  EXPECT_EQ(TrafficSentence(c, Moving(kPart, 0)), "nothing") << "parameters may be gathered when they are read";
  EXPECT_NE(TrafficSentence(c, Moving(kPart / 2, 0)).find("the gradients that have to leave their ranks"),
            std::string::npos);
  EXPECT_EQ(LeastTrafficOf(ThreeLargeRanks(0), 0), 2 * 3 * kPart);
  Case replicated = ThreeLargeRanks(1);
  replicated.experiment.world_size = 6;
  replicated.replicas = 2;
  EXPECT_EQ(LeastTrafficOf(replicated, 0), 6u * (9 << 15) * 4) << "two groups of three, and once to and fro between";
  replicated.experiment.reduction = Precision::kBf16;
  EXPECT_EQ(LeastTrafficOf(replicated, 0), 6u * (9 << 15) * 2);
}

/// 12 ranks, 9 elements that are dense, and 5 of one of three experts.
Case BesideAnExpert(int stage) {
  Case c = ThreeRanks(stage);
  c.experiment.world_size = 12;
  c.experiment.parameters.push_back({"q", {5}, 0});
  c.experiment.experts = {3, {{1, 2}}};
  return c;
}

TEST(TrafficOfCase, OfAnExpertIsThatOfItsRanksAlone) {
  EXPECT_EQ(Problem(BesideAnExpert(1)), "");
  EXPECT_EQ(MostTrafficOf(BesideAnExpert(1)).bytes, 2u * (11 * (9 + 11) + 3 * (5 + 3)) * 4);
  EXPECT_EQ(MostTrafficOf(BesideAnExpert(3)).bytes, 3u * (11 * (9 + 11) + 3 * (5 + 3)) * 4);
  EXPECT_EQ(MostTrafficOf(BesideAnExpert(1)).calls, 2 * MostTrafficOf(ThreeRanks(1)).calls) << "it has buckets too";
  EXPECT_EQ(LeastTrafficOf(BesideAnExpert(2), 0), (11u * 9 + 3 * 5) * 4);
  EXPECT_EQ(LeastTrafficOf(BesideAnExpert(0), 0), 2 * (11u * 9 + 3 * 5) * 4);
  Case of_one_rank = BesideAnExpert(2);
  of_one_rank.experiment.experts.count = 12;
  EXPECT_EQ(LeastTrafficOf(of_one_rank, 0), 11u * 9 * 4);
  EXPECT_EQ(MostTrafficOf(of_one_rank).bytes, 2u * 11 * (9 + 11) * 4);
}

TEST(TrafficOfCase, IsReceivedAsItIsSent) {
  auto ranks = Moving(kPart, kPart);
  ranks[1].traffic[0].all_gather.received_bytes /= 2;
  EXPECT_NE(TrafficSentence(ThreeLargeRanks(2), ranks)
                .find(fmt::format("sent {} bytes by all_gather and received {}", 3 * kPart, 3 * kPart - kPart / 2)),
            std::string::npos)
      << TrafficSentence(ThreeLargeRanks(2), ranks);
}

/// Ranks that tell what the formula has, and whose connections carried so much each.
std::vector<RankObservation> Carrying(uint64_t bytes) {
  auto ranks = Moving(kPart, kPart);
  for (RankObservation& rank : ranks) rank.seen_traffic = {{0, bytes, bytes}};
  return ranks;
}

TEST(TrafficOfCase, IsSeenOnTheConnections) {
  const Case c = ThreeLargeRanks(2);
  EXPECT_EQ(TrafficSentence(c, Carrying(2 * kPart)), "nothing");
  EXPECT_EQ(TrafficSentence(c, Carrying(4 * kPart)), "nothing")
      << "a transport may take an all-reduce for a reduce-scatter";
  EXPECT_NE(TrafficSentence(c, Carrying(5 * kPart)).find("the connections of all ranks were seen to receive"),
            std::string::npos);
}

FigureSource SourceOf(const Case& c, const std::vector<RankObservation>& ranks) {
  Evidence evidence;
  CheckTraffic(c, ranks, {}, evidence);
  return evidence.best();
}

TEST(TrafficOfCase, IsSelfReportedUnlessTheConnectionsCarryWhatHasToTravel) {
  const Case c = ThreeLargeRanks(2);
  EXPECT_EQ(SourceOf(c, Carrying(2 * kPart)), FigureSource::kKernel);
  EXPECT_EQ(SourceOf(c, Moving(kPart, kPart)), FigureSource::kSubject) << "nobody looked";
  EXPECT_EQ(SourceOf(c, Carrying(1000)), FigureSource::kSubject) << "they meet elsewhere";
  auto ranks = Carrying(2 * kPart);
  ranks[2].seen_traffic.clear();
  EXPECT_EQ(SourceOf(c, ranks), FigureSource::kSubject) << "nobody looked at rank 2";
  ranks = Moving(24, 24);
  for (RankObservation& rank : ranks) rank.seen_traffic = {{0, 60, 60}};
  EXPECT_EQ(SourceOf(ThreeRanks(2), ranks), FigureSource::kSubject) << "ten times as much would not have been noticed";
}

}  // namespace
}  // namespace zerocts
