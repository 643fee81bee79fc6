#include "conformance/check/events/event_order.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

RankEvent Asked(int queue) { return {.kind = EventKind::kCollective, .name = "all_gather", .queue = queue}; }
RankEvent Wait(int queue, int64_t awaited) { return {.kind = EventKind::kWait, .queue = queue, .awaited = awaited}; }

TEST(EventOrder, WithinAQueueIsThatOfAsking) {
  const EventOrder order({Asked(1), Asked(2), Asked(1)});
  EXPECT_TRUE(order.IsBefore(0, 2));
  EXPECT_FALSE(order.IsBefore(2, 0) || order.IsBefore(0, 0));
  EXPECT_FALSE(order.IsBefore(0, 1) || order.IsBefore(1, 2));
}

TEST(EventOrder, PutsAllThatIsAskedForLaterAfterTheRanksThread) {
  const EventOrder order({Asked(0), Asked(1), Asked(0)});
  EXPECT_TRUE(order.IsBefore(0, 1));
  EXPECT_FALSE(order.IsBefore(1, 2));
}

TEST(EventOrder, PassesOnWhatTheAwaitedHadWaitedFor) {
  const EventOrder order({Asked(1), Wait(2, 0), Asked(2), Asked(3), Wait(3, 2), Asked(3)});
  EXPECT_FALSE(order.IsBefore(0, 3));
  EXPECT_TRUE(order.IsBefore(0, 5));
}

TEST(EventOrder, WhatTheRankWaitsForIsBeforeAllThatItAsksForThen) {
  const EventOrder order({Asked(1), Asked(1), Wait(0, 0), Asked(2), Wait(0, 1), Asked(2)});
  EXPECT_TRUE(order.IsBefore(0, 3));
  EXPECT_FALSE(order.IsBefore(1, 3));
  EXPECT_TRUE(order.IsBefore(1, 5));
}

TEST(EventOrder, KnowsWhatIsNeverAwaited) {
  const EventOrder order({Asked(0), Asked(1), Wait(2, 1), Asked(1)});
  EXPECT_TRUE(order.IsAwaited(0) && order.IsAwaited(1));
  EXPECT_FALSE(order.IsAwaited(3));
}

TEST(EventOrder, RefusesWhatMakesNone) {
  EXPECT_EQ(Problem(std::vector{Asked(0), Wait(1, 0)}), "");
  EXPECT_EQ(Problem(std::vector{Asked(0), Wait(1, 1)}), "event 1 waits for event 1: expected one of those before it");
  EXPECT_EQ(Problem(std::vector{Asked(64)}), "event 0 is of queue 64: expected 0 to 63");
  EXPECT_EQ(Problem(std::vector{RankEvent{.kind = EventKind{5}}}), "event 0 is of kind 5: expected 1 to 4");
}

}  // namespace
}  // namespace zerocts
