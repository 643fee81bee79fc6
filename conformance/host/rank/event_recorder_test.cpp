// With told.c, which makes events up.
#include "conformance/host/rank/event_recorder.hpp"

#include <gtest/gtest.h>

#include "conformance/host/rank/thread_store.hpp"

namespace zerocts {
namespace {

class EventRecorderTest : public testing::Test {
 protected:
  explicit EventRecorderTest(const std::string& plugin = "told.so")
      : plugin_(Plugin::Load(std::string(ZEROCTS_TESTDATA_PLUGINS) + "/" + plugin)) {
    case_.experiment.parameters = {{"a", {2}, 0}, {"b", {3}, 0}};
    case_.observe_events = true;
  }

  std::unique_ptr<Plugin> plugin_;
  Case case_;
  RankPage page_{""};
  ThreadStore store_{1};
  std::unique_ptr<StoreClient> client_ = store_.RankEnd(0);
  MemoryMeter memory_{1};
  const RankSetting setting_{*plugin_, plugin_->capabilities(), 0, 1, 1, {}, *client_, page_, memory_};
  RankContext context_{setting_, case_, 1000};
  const RankObservation& shown_ = context_.observation;
  EventRecorder recorder_{context_};
};

TEST_F(EventRecorderTest, TakesEveryEventAndNumbersThoseOfTheNextEngineOn) {
  recorder_.Begin();
  EXPECT_TRUE(shown_.events.empty());
  recorder_.Take(4);
  ASSERT_EQ(shown_.events.size(), 300u);
  EXPECT_EQ(shown_.events[299], (RankEvent{4, EventKind::kWait, "", -1, 1, 299}));
  EXPECT_EQ(shown_.bucket_of_parameter, (std::vector{0, 1}));

  recorder_.Begin();  // told.c begins nothing, and gives 300 more, which belong to no event
  recorder_.Take(RankEvent::kOutsideOfSteps);
  ASSERT_EQ(shown_.events.size(), 600u);
  EXPECT_EQ(shown_.events[300], (RankEvent{-1, EventKind::kWait, "", -1, 1, 300 + 600}));
}

TEST_F(EventRecorderTest, AsksForNothingWhereNoneAreObserved) {
  case_.observe_events = false;
  recorder_.Begin();
  recorder_.Take(0);
  EXPECT_TRUE(shown_.events.empty() && shown_.bucket_of_parameter.empty());
}

class EventRecorderWithoutTheExtension : public EventRecorderTest {
 protected:
  EventRecorderWithoutTheExtension() : EventRecorderTest("faulty.so") {}
};

TEST_F(EventRecorderWithoutTheExtension, RefusesTheSubject) {
  try {
    recorder_.Begin();
    FAIL() << "began";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.text, "\"events\" is declared, but the extension zerocts.events/1 is missing");
  }
}

}  // namespace
}  // namespace zerocts
