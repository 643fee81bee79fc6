// Order, events across queues, exceptions, and ends with work pending. Latches stand for slow work.
#include "impl/device/stream_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <latch>
#include <optional>
#include <stdexcept>

namespace zerocts::engine {
namespace {

using Fault = std::domain_error;

/// A queue whose thread waits until it is let go on, so that what follows is pending.
struct HeldQueue {
  std::latch gate{1};
  StreamQueue queue;

  HeldQueue() {
    queue.Enqueue([this] { gate.wait(); });
  }
};

TEST(StreamQueue, OperationsHappenInOrderOnOneOtherThread) {
  StreamQueue queue;
  std::vector<int> order;
  std::vector<std::thread::id> threads;
  for (int i = 0; i < 1001; ++i) {
    queue.Enqueue([&, i] {
      order.push_back(i);
      threads.push_back(std::this_thread::get_id());
    });
  }
  queue.Synchronize();
  ASSERT_EQ(order.size(), 1001u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(std::count(threads.begin(), threads.end(), threads.front()), 1001);
  EXPECT_NE(threads.front(), std::this_thread::get_id());
}

TEST(StreamQueue, AnEventHasComeWhenWhatWasEnqueuedBeforeItHasHappened) {
  HeldQueue held;
  std::latch gate(1);
  std::atomic<int> happened = 0;
  held.queue.Enqueue([&] { happened = 1; });
  const Event event = held.queue.Record();
  held.queue.Enqueue([&] { gate.wait(); });
  held.queue.Enqueue([&] { happened = 2; });
  ASSERT_NE(event, nullptr);
  held.gate.count_down();
  event->Synchronize();  // although the queue is not through
  EXPECT_EQ(happened, 1);
  gate.count_down();
  held.queue.Synchronize();
  EXPECT_EQ(happened, 2);
}

TEST(StreamQueue, ThreeQueuesWaitForEachOther) {
  StreamQueue queues[3];
  std::vector<int> order;  // guarded by the events alone
  Event last;
  for (int i = 0; i < 3000; ++i) {
    StreamQueue& queue = queues[i * 7 % 11 % 3];
    queue.WaitFor(last);
    queue.Enqueue([&, i] { order.push_back(i); });
    last = queue.Record();
  }
  if (last) last->Synchronize();
  ASSERT_EQ(order.size(), 3000u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(StreamQueue, WhoWaitsForALaterEventSleepsThroughAnEarlierOne) {
  HeldQueue held;
  std::latch gate(1);
  std::atomic<bool> happened = false;
  const Event early = held.queue.Record();
  held.queue.Enqueue([&] { gate.wait(); });
  held.queue.Enqueue([&] { happened = true; });
  const Event late = held.queue.Record();
  std::latch begun(1);
  std::jthread waiter([&] {
    begun.count_down();
    late->Synchronize();
    EXPECT_TRUE(happened);
  });
  begun.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it sleeps, or this test shows less
  held.gate.count_down();
  early->Synchronize();
  EXPECT_FALSE(happened);
  gate.count_down();
}

TEST(StreamQueue, AnEventThatHasComeIsNoWait) {
  StreamQueue queue, other;
  queue.Synchronize();
  EXPECT_EQ(queue.Record(), nullptr);
  other.WaitFor(nullptr);
  other.Synchronize();
}

TEST(StreamQueue, WhatAnOperationCapturedIsGoneWhenItHasHappened) {
  StreamQueue queue;
  auto captured = std::make_shared<int>();
  const std::weak_ptr<int> watched = captured;
  queue.Enqueue([captured = std::move(captured)] {});
  queue.Synchronize();
  EXPECT_TRUE(watched.expired());
}

TEST(StreamQueue, AnOperationThatThrowsSpendsTheQueue) {
  HeldQueue held;
  bool later = false;
  held.queue.Enqueue([] {});
  const Event before = held.queue.Record();
  held.queue.Enqueue([] { throw Fault("first"); });
  held.queue.Enqueue([&] { later = true; });
  held.queue.Enqueue([] { throw std::runtime_error("second"); });
  const Event after = held.queue.Record();
  held.gate.count_down();
  EXPECT_THROW(held.queue.Synchronize(), Fault);
  EXPECT_THROW(held.queue.Synchronize(), Fault);
  EXPECT_THROW(held.queue.Enqueue([&] { later = true; }), Fault);
  EXPECT_THROW(held.queue.Record(), Fault);
  EXPECT_THROW(after->Synchronize(), Fault);
  EXPECT_NO_THROW(before->Synchronize());  // it had come
  EXPECT_FALSE(later);
}

TEST(StreamQueue, AWaitForASpentQueueThrowsInTheWaitingOne) {
  HeldQueue held;
  StreamQueue waiting;
  bool later = false;
  held.queue.Enqueue([] { throw Fault("spent"); });
  waiting.WaitFor(held.queue.Record());
  waiting.Enqueue([&] { later = true; });
  const Event event = waiting.Record();
  held.gate.count_down();
  EXPECT_THROW(waiting.Synchronize(), Fault);
  EXPECT_THROW(event->Synchronize(), Fault);
  EXPECT_FALSE(later);
}

TEST(StreamQueue, ItsEndDropsWhatHasNotBegun) {
  bool dropped = true;
  Event event;
  std::latch begun(1), gate(1);
  std::jthread letting_go;
  auto captured = std::make_shared<int>();
  const std::weak_ptr<int> watched = captured;
  {
    StreamQueue queue;
    queue.Enqueue([&] {
      begun.count_down();
      gate.wait();
    });
    queue.Enqueue([&, captured = std::move(captured)] { dropped = false; });
    event = queue.Record();
    begun.wait();
    letting_go = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      gate.count_down();
    });
  }
  // On a busy machine the operation that had begun may end, and the next one begin, before the queue is told to stop.
  if (dropped) {
    EXPECT_THROW(event->Synchronize(), std::runtime_error);
  }
  EXPECT_TRUE(watched.expired());
}

TEST(StreamQueue, ItsEndDoesNotWaitForEventsThatDoNotCome) {
  HeldQueue held;
  Event after;
  {
    StreamQueue waiting;
    std::latch begun(1);
    waiting.Enqueue([&] { begun.count_down(); });
    waiting.WaitFor(held.queue.Record());  // held is let go only when this queue is gone
    waiting.Enqueue([] { FAIL() << "its event has not come"; });
    after = waiting.Record();
    begun.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the wait itself has most likely begun
  }
  EXPECT_THROW(after->Synchronize(), std::runtime_error);
  held.gate.count_down();
}

TEST(StreamQueue, QueuesThatWaitForEachOtherMayEndInAnyOrder) {
  for (int round = 0; round < 100; ++round) {
    std::latch gate(1);
    std::optional<StreamQueue> first(std::in_place), second(std::in_place);
    first->Enqueue([&] { gate.wait(); });
    second->WaitFor(first->Record());
    first->WaitFor(second->Record());
    second->WaitFor(first->Record());
    second->Enqueue([] {});
    if (round % 2) second.reset();
    gate.count_down();
    first.reset();
    if (second) {
      try {
        second->Synchronize();  // throws when it still waited for the one that is gone
      } catch (const std::runtime_error&) {
      }
    }
  }
}

TEST(StreamQueue, AnEventOutlivesItsQueue) {
  Event event;
  {
    HeldQueue held;
    event = held.queue.Record();
    held.gate.count_down();
    held.queue.Synchronize();
  }
  EXPECT_NO_THROW(event->Synchronize());
}

TEST(StreamQueue, AnOperationThatWaitsForItsOwnQueueIsTold) {
  HeldQueue held;
  held.queue.Enqueue([&] { held.queue.Synchronize(); });
  held.gate.count_down();
  EXPECT_THROW(held.queue.Synchronize(), std::logic_error);
}

/// Any event, of a backend that this room does not know.
struct ForeignEvent : StreamEvent {
  std::latch& latch;
  explicit ForeignEvent(std::latch& latch) : latch(latch) {}
  void Synchronize() const override { latch.wait(); }
};

TEST(StreamQueue, WaitsForEventsOfOtherBackends) {
  StreamQueue queue;
  std::latch come(1);
  std::atomic<bool> happened = false, came_first = false;
  queue.WaitFor(std::make_shared<ForeignEvent>(come));
  queue.Enqueue([&] { came_first = come.try_wait(); });
  queue.Enqueue([&] { happened = true; });
  EXPECT_FALSE(happened);
  come.count_down();
  queue.Synchronize();
  EXPECT_TRUE(came_first);
}

TEST(StreamQueue, RoundTripTakesSomeTenMicroseconds) {
  StreamQueue queue;
  constexpr int kTrips = 2000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTrips; ++i) {
    queue.Enqueue([] {});
    queue.Synchronize();
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("round_trip_ns", static_cast<int>(1000 * took.count() / kTrips));
  std::cout << took.count() / kTrips << " us per round trip\n";
  EXPECT_LT(took.count() / kTrips, 2000.0);  // a tick of a scheduler would be seen
}

}  // namespace
}  // namespace zerocts::engine
