#include "bench/subject/group_measurement.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace zerocts {
namespace {

/// Two steps of two micro-batches: each call takes 10 ns, `late` ns later than on the first rank.
RankObservation RankThatIsLate(int rank, int64_t late) {
  RankObservation o;
  o.rank = rank;
  int64_t now = 1000 + late;
  for (int64_t step = 0; step < 2; ++step) {
    for (const auto& [call, micro_batch] :
         {std::pair("accumulate", 0), std::pair("accumulate", 1), std::pair("step", -1)}) {
      o.calls.push_back({step, call, micro_batch, now, now + 10, 7});
      now += 100;
    }
    o.traffic.push_back({step, {1, 10, 20}, {2, 30, 40}, {}, {}});
  }
  o.memory_points = {{"open", {1, 2, 3, 4}, {}, 100, 100},
                     {"after_step", {1, 2, 3, 4}, {}, static_cast<uint64_t>(200 + late), 300, 150}};
  return o;
}

RunResult TwoRanks() {
  RunResult result;
  result.ranks = {RankThatIsLate(0, 0), RankThatIsLate(1, 4)};
  return result;
}

TEST(GroupMeasurement, IsTakenFromTheLastToComeToTheLastToLeave) {
  const GroupMeasurement m = MeasurementOf(TwoRanks());
  ASSERT_EQ(m.steps.size(), 1u);  // the first one warms up
  EXPECT_DOUBLE_EQ(m.steps[0].accumulate, 2 * 10e-9);
  EXPECT_DOUBLE_EQ(m.steps[0].step, 10e-9);
  EXPECT_DOUBLE_EQ(m.steps[0].cpu, 6 * 7e-9);
  EXPECT_DOUBLE_EQ(TotalSeconds(m)[0], 30e-9);
}

TEST(GroupMeasurement, AddsWhatRanksMovedInOneStep) {
  const GroupMeasurement m = MeasurementOf(TwoRanks());
  EXPECT_TRUE(m.counts_traffic);
  EXPECT_EQ(m.moved.reduce_scatter, (StepTraffic::Count{2, 20, 40}));
  EXPECT_EQ(m.moved.all_gather, (StepTraffic::Count{4, 60, 80}));
}

TEST(GroupMeasurement, TellsWhichShareOfCollectivesIsHidden) {
  EXPECT_EQ(MeasurementOf(TwoRanks()).hidden, std::nullopt);
  RunResult result = TwoRanks();
  result.ranks[0].timeline = {
      {0, "all_gather", 0, 0, 50},        {0, "forward", 0, 0, 50},            // the first step warms up
      {1, "all_gather", 0, 100, 110},     {1, "forward", 0, 104, 120},         // 6 of 10
      {1, "reduce_scatter", 0, 120, 130}, {1, "reduce_scatter", 1, 125, 140},  // both at once count once: 20
      {1, "backward", 0, 130, 134},                                            // 4 of them
      {1, "step", -1, 134, 150}};
  EXPECT_DOUBLE_EQ(MeasurementOf(result).hidden.value(), 10.0 / 30);
  result.ranks[1].timeline = {{1, "all_gather", 0, 0, 10}};
  EXPECT_DOUBLE_EQ(MeasurementOf(result).hidden.value(), 10.0 / 40);
}

TEST(GroupMeasurement, KeepsTheTimelineOfTheLastStep) {
  RunResult result = TwoRanks();
  result.ranks[0].timeline = {{0, "forward", 0, 0, 50}, {1, "forward", 0, 104, 120}};
  result.ranks[1].timeline = {{1, "all_gather", 2, 100, 110}};
  const auto spans = MeasurementOf(result).last_step;
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].span, (TimelineSpan{1, "forward", 0, 104, 120}));
  EXPECT_EQ(spans[1].rank, 1);
  EXPECT_EQ(spans[1].span, (TimelineSpan{1, "all_gather", 2, 100, 110}));
}

TEST(GroupMeasurement, TakesTheMemoryOfTheRankThatHeldMost) {
  EXPECT_EQ(MeasurementOf(TwoRanks()).points.back().held_bytes, 204u);
  RunResult threads = TwoRanks();
  for (RankObservation& rank : threads.ranks) rank.ranks_in_process = 2;
  EXPECT_EQ(MeasurementOf(threads).points.back().held_bytes, 102u);
  EXPECT_EQ(MeasurementOf(threads).points.back().peak_bytes, 150u);
  EXPECT_EQ(MeasurementOf(threads).points.front().heap_bytes, std::nullopt);
  EXPECT_EQ(MeasurementOf(threads).points.back().heap_bytes, 75u);
  EXPECT_EQ(MeasurementOf(threads).points.back().reported, (MemoryReading{1, 2, 3, 4}));
}

TEST(GroupMeasurement, TellsWhatARankGainsInItsHeapOrAsAProcess) {
  RunResult result = TwoRanks();
  EXPECT_EQ(MeasurementOf(result).gained, std::nullopt);
  const auto points = [&](MemoryPoint middle, MemoryPoint end) {
    middle.point = "middle", end.point = "end";
    result.ranks[1].memory_points = {middle, end};
    return MeasurementOf(result).gained;
  };
  EXPECT_DOUBLE_EQ(points({.held_bytes = 500}, {.held_bytes = 800}).value(), 300);
  EXPECT_DOUBLE_EQ(points({.held_bytes = 500, .heap_bytes = 90}, {.held_bytes = 800, .heap_bytes = 95}).value(), 300);
  EXPECT_DOUBLE_EQ(points({.held_bytes = 500, .heap_bytes = 90}, {.held_bytes = 500, .heap_bytes = 140}).value(), 50);
}

TEST(GroupMeasurement, OfARunThatFailedIsASentence) {
  const auto refusal = [](const RunResult& result) -> std::string {
    try {
      MeasurementOf(result);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  RunResult crashed = TwoRanks();
  crashed.ending = Ending::kCrash;
  crashed.message = "rank 1 was killed";
  EXPECT_NE(refusal(crashed).find("rank 1 was killed"), std::string::npos);
  RunResult old = TwoRanks();
  old.ranks[1].calls.clear();
  EXPECT_TRUE(refusal(old).starts_with("rank 1 tells no times: expected")) << refusal(old);
}

}  // namespace
}  // namespace zerocts
