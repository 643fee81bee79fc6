#include "impl/stages/streams/event_log.hpp"

#include <gtest/gtest.h>

#include <string>

#include "impl/device/for_test/poisoned_memory.hpp"
#include "impl/stages/streams/streams.hpp"
#include "impl/stages/streams/timeline.hpp"

namespace zerocts::engine {
namespace {

std::string TextOf(const std::vector<LoggedEvent>& events) {
  std::string text;
  for (const LoggedEvent& e : events) {
    const bool wait = e.kind == EventKind::kWait;
    text += (text.empty() ? "" : ", ") + std::to_string(e.queue) + " ";
    text += wait                          ? "waits for " + std::to_string(e.awaited)
            : e.kind == EventKind::kBegin ? "begins " + std::string(e.name)
            : e.kind == EventKind::kEnd   ? "ends " + std::string(e.name)
                                          : e.name + std::to_string(e.index);
  }
  return text;
}

struct EventLogTest : testing::Test {
  explicit EventLogTest(bool overlap = true) : device(MakeDevice("host", memory, {.overlap = overlap})) {}

  /// A bucket is gathered, and waited for after a computation.
  std::string GatherBesideForward() {
    timeline.Span(*streams.compute, *streams.communication, "all_gather", 3, [] {});
    const Event gathered = streams.communication->Record();
    timeline.Span(*streams.compute, "forward", 0, [] {});
    streams.compute->WaitFor(gathered);
    return TextOf(timeline.events().Take());
  }

  PoisonedMemory memory;
  std::unique_ptr<Device> device;
  Timeline timeline;
  Streams streams{*device, timeline.events()};
};

TEST_F(EventLogTest, HasTheOrderInWhichTheRankAsked) {
  timeline.events().Start();
  EXPECT_EQ(GatherBesideForward(), "1 all_gather3, 0 begins forward, 0 ends forward, 0 waits for 0");
  EXPECT_EQ(timeline.events().size(), 0u);
}

TEST_F(EventLogTest, KeepsNothingBeforeItIsStarted) { EXPECT_EQ(GatherBesideForward(), ""); }

TEST_F(EventLogTest, NotesWhatOneQueueWaitsForAndWhatTheRankWaitsFor) {
  timeline.events().Start();
  timeline.events().Collective(*streams.communication, "reduce_scatter", 0);
  streams.copy->WaitFor(streams.communication->Record());
  streams.communication->WaitFor(streams.communication->Record());  // its own: no news
  streams.copy->Record()->Synchronize();
  streams.communication->Synchronize();
  EXPECT_EQ(TextOf(timeline.events().Take()), "1 reduce_scatter0, 2 waits for 0, 0 waits for 1, 0 waits for 0");
}

struct EventLogWithoutOverlap : EventLogTest {
  EventLogWithoutOverlap() : EventLogTest(false) {}
};

TEST_F(EventLogWithoutOverlap, HasOneQueue) {
  timeline.events().Start();
  EXPECT_EQ(GatherBesideForward(), "0 all_gather3, 0 begins forward, 0 ends forward");
}

}  // namespace
}  // namespace zerocts::engine
