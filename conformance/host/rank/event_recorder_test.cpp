// With told.c, which makes events up.
#include "conformance/host/rank/event_recorder.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

class EventRecorderTest : public testing::Test {
 protected:
  EventRecorderTest() {
    case_.experiment.parameters = {{"a", {2}, 0}, {"b", {3}, 0}};
    case_.observe_events = true;
  }
  EventRecorder Recorder() { return {*plugin_, case_, caller_, page_, shown_}; }

  std::unique_ptr<Plugin> plugin_ = Plugin::Load(std::string(ZEROCTS_TESTDATA_PLUGINS) + "/told.so");
  Case case_;
  RankPage page_{""};
  SubjectCaller caller_{plugin_->table(), page_};
  RankObservation shown_;
};

TEST_F(EventRecorderTest, TakesEveryEventAndNumbersThoseOfTheNextEngineOn) {
  EventRecorder recorder = Recorder();
  recorder.Begin(nullptr);
  EXPECT_TRUE(shown_.events.empty());
  recorder.Take(nullptr, 4);
  ASSERT_EQ(shown_.events.size(), 300u);
  EXPECT_EQ(shown_.events[299], (RankEvent{4, EventKind::kWait, "", -1, 1, 299}));
  EXPECT_EQ(shown_.bucket_of_parameter, (std::vector{0, 1}));

  recorder.Begin(nullptr);  // told.c begins nothing, and gives 300 more, which are nobody's
  recorder.Take(nullptr, RankEvent::kOutsideOfSteps);
  ASSERT_EQ(shown_.events.size(), 600u);
  EXPECT_EQ(shown_.events[300], (RankEvent{-1, EventKind::kWait, "", -1, 1, 300 + 600}));
}

TEST_F(EventRecorderTest, AsksForNothingWhereNoneAreObserved) {
  case_.observe_events = false;
  EventRecorder recorder = Recorder();
  recorder.Begin(nullptr);
  recorder.Take(nullptr, 0);
  EXPECT_TRUE(shown_.events.empty() && shown_.bucket_of_parameter.empty());
}

TEST_F(EventRecorderTest, RefusesASubjectWithoutTheExtension) {
  plugin_ = Plugin::Load(std::string(ZEROCTS_TESTDATA_PLUGINS) + "/faulty.so");
  EventRecorder recorder = Recorder();
  try {
    recorder.Begin(nullptr);
    FAIL() << "began";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.text, "\"events\" is declared, but the extension zerocts.events/1 is missing");
  }
}

}  // namespace
}  // namespace zerocts
