#include "conformance/check/events/overlap.hpp"

#include <gtest/gtest.h>

#include <map>

#include "conformance/check/events/reported_events.hpp"
#include "conformance/check/for_test/perfect_events.hpp"

namespace zerocts {
namespace {

/// Five units: an embedding, a layer, its activation, another layer and the loss, of 1, 2, 0, 2 and 0 parameters, each
/// of which has a bucket.
Case CaseOfFiveUnits() {
  Case c;
  Experiment& e = c.experiment;
  e.model = MlpSpec{.vocab = 5, .context = 2, .embedding = 3, .hidden = {4}};
  e.parameters = ModelParameters(*e.model);
  e.world_size = 2;
  e.micro_batches = 2;
  e.steps = 2;
  return c;
}

class OverlapTest : public testing::Test {
 protected:
  OverlapTest() {
    for (int64_t step = 0; step < 2; ++step) TellPerfectEvents(c_, step, rank_);
  }

  /// What is found of a group in which every rank shows the same.
  std::string Found() {
    for (const RankEvent& event : rank_.events) {
      const bool begins = event.kind == EventKind::kBegin || event.kind == EventKind::kCollective;
      if (begins && !quiet_) rank_.timeline.push_back({.step = event.step, .name = event.name});
    }
    const auto finding = CheckOverlap(c_, {rank_, rank_}, evidence_);
    return finding ? finding->sentence : "";
  }

  /// Puts an event behind another one; what waits still waits for the same.
  void Insert(int64_t position, const RankEvent& event) {
    for (RankEvent& other : rank_.events) other.awaited += other.awaited >= position;
    rank_.events.insert(rank_.events.begin() + position, event);
  }
  int64_t PositionOf(EventKind kind, const std::string& name, int index, int64_t from = 0) const {
    for (int64_t i = from; i < std::ssize(rank_.events); ++i) {
      const RankEvent& event = rank_.events[static_cast<size_t>(i)];
      if (event.kind == kind && event.name == name && event.index == index) return i;
    }
    ADD_FAILURE() << name << " " << index;
    return 0;
  }
  void WaitAfterEachReduction() {
    for (int64_t i = 0; i < std::ssize(rank_.events); ++i) {
      if (IsReduction(rank_.events[static_cast<size_t>(i)]))
        Insert(i + 1, {rank_.events[static_cast<size_t>(i)].step, EventKind::kWait, "", -1, 0, i});
    }
  }

  Case c_ = CaseOfFiveUnits();
  RankObservation rank_;
  Evidence evidence_;
  bool quiet_ = false;  // the timeline stays as it is
};

TEST_F(OverlapTest, IsThereWhenReductionsRunBesideTheBackwardThatComesNext) {
  EXPECT_EQ(Found(), "");
  EXPECT_TRUE(evidence_.only_self_reported());
}

TEST_F(OverlapTest, IsNotThereWhenTheRankWaitsAtOnce) {
  WaitAfterEachReduction();
  EXPECT_EQ(
      Found(),
      "rank 0 asks for 0 of 8 reductions before a computation and waits for them after it, expected half of them "
      "at least: the reduce_scatter of bucket 3 in step 0, is waited for before the end of the backward of unit 2");
}

TEST_F(OverlapTest, IsNotThereOnTheRanksOwnThread) {
  for (RankEvent& event : rank_.events) event.queue = 0;
  EXPECT_NE(Found().find("happens on the rank's own thread"), std::string::npos) << Found();
}

TEST_F(OverlapTest, IsNotThereWhenTheComputationIsWaitedForToo) {
  for (RankEvent& event : rank_.events) {
    if (event.kind == EventKind::kBegin || event.kind == EventKind::kEnd) event.queue = 2;
  }
  const auto wait = [this](int queue, int64_t position) {  // for the event before this position
    Insert(position,
           {rank_.events[static_cast<size_t>(position) - 1].step, EventKind::kWait, "", -1, queue, position - 1});
  };
  for (int64_t i = 0; i < std::ssize(rank_.events); ++i) {
    if (IsReduction(rank_.events[static_cast<size_t>(i)])) wait(1, i++);
  }
  EXPECT_EQ(Found(), "");
  for (int64_t i = 0; i < std::ssize(rank_.events); ++i) {
    if (IsReduction(rank_.events[static_cast<size_t>(i)])) wait(2, i + 1);
  }
  EXPECT_NE(Found().find("0 of 8 reductions"), std::string::npos) << Found();
}

TEST_F(OverlapTest, IsAskedOfGathersApart) {
  const std::map<int, int> buckets = {{0, 0}, {1, 1}, {3, 3}};  // one of each unit's, gathered right before its forward
  for (int64_t i = 0; i < std::ssize(rank_.events); ++i) {
    const RankEvent event = rank_.events[static_cast<size_t>(i)];
    if (event.kind != EventKind::kBegin || event.name != "forward" || !buckets.contains(event.index)) continue;
    Insert(i, {event.step, EventKind::kCollective, "all_gather", buckets.at(event.index), 1});
    Insert(i + 1, {event.step, EventKind::kWait, "", -1, 0, i});
    i += 2;
  }
  EXPECT_EQ(Found(),
            "rank 0 asks for 0 of 8 gathers before a computation and waits for them after it, expected half of them at "
            "least: the all_gather of bucket 1 in step 0, is waited for before the end of the forward of unit 1");
}

TEST_F(OverlapTest, CountsNoGatherForTheFirstUnitNorForARead) {
  Insert(0, {0, EventKind::kCollective, "all_gather", 0, 1});
  Insert(1, {0, EventKind::kWait, "", -1, 0, 0});
  Insert(0, {RankEvent::kOutsideOfSteps, EventKind::kCollective, "all_gather", 4, 1});
  Insert(1, {RankEvent::kOutsideOfSteps, EventKind::kWait, "", -1, 0, 0});
  EXPECT_EQ(Found(), "");
}

TEST_F(OverlapTest, IsNotRequiredOfOneRank) {
  WaitAfterEachReduction();
  c_.experiment.world_size = 1;
  EXPECT_EQ(Found(), "");
}

TEST_F(OverlapTest, FindsAComputationThatIsReported) {
  const int64_t position = PositionOf(EventKind::kBegin, "forward", 1);
  Insert(position, {0, EventKind::kBegin, "backward", 2});
  Insert(position + 1, {0, EventKind::kEnd, "backward", 2});
  EXPECT_EQ(
      Found(),
      "rank 0 tells what cannot be: in step 0, the backward of unit 2 is reported where the forward of unit 1 comes");
}

TEST_F(OverlapTest, FindsACollectiveThatIsNeverWaitedFor) {
  std::erase_if(rank_.events, [](const RankEvent& e) { return e.kind == EventKind::kWait && e.step == 0; });
  rank_.events.pop_back();
  EXPECT_EQ(Found(), "rank 0 tells what cannot be: the reduce_scatter of bucket 3 in step 0 is never waited for");
}

TEST_F(OverlapTest, FindsAReductionThatIsLeftOut) {
  const int64_t position = PositionOf(EventKind::kCollective, "reduce_scatter", 4);
  rank_.events[static_cast<size_t>(position)].index = 3;
  EXPECT_EQ(Found(), "rank 0 tells what cannot be: the gradients of bucket 4 are never reduced in step 0");
}

TEST_F(OverlapTest, FindsACollectiveThatDidNotLast) {
  EXPECT_EQ(Found(), "");
  quiet_ = true;
  Insert(PositionOf(EventKind::kCollective, "reduce_scatter", 4), {0, EventKind::kCollective, "reduce_scatter", 4, 1});
  EXPECT_EQ(
      Found(),
      "rank 0 tells what cannot be: 11 times reduce_scatter is reported as asked for, but only 10 times as lasting");
}

}  // namespace
}  // namespace zerocts
