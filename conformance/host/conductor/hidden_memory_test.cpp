// What ranks hold is seen from outside, wherever they keep it.
#include <gtest/gtest.h>

#include "conformance/host/conductor/endings_for_test.hpp"

namespace zerocts {
namespace {

class HiddenMemory : public Endings {
 protected:
  void SetUp() override {
    if (ZEROCTS_SANITIZED) GTEST_SKIP() << "a sanitizer's allocator serves the ranks, and its own memory counts";
    Endings::SetUp();
  }

  /// What the rank with the fault shows in a case that observes memory; the group ran the same once before.
  RankObservation Seen(const std::string& fault) {
    Case c = TinyCase();
    c.observe_memory = true;
    c.experiment.steps = 1;
    c.experiment.parameters = {{"large", {300, 1000}, 0}};
    const RunResult result = Run(Faulty(fault), c);
    EXPECT_EQ(result.ending, Ending::kObserved) << result.message;
    return result.ending == Ending::kObserved ? result.ranks[1] : RankObservation();
  }

  double parameters() const { return 1.2e6 * (threads() ? kWorldSize : 1); }  // of the process
};

INSTANTIATE_TEST_SUITE_P(, HiddenMemory,
                         testing::Values(LauncherKind::kLocal, LauncherKind::kThreads, LauncherKind::kMpirun),
                         [](const auto& info) { return ToString(info.param); });

TEST_P(HiddenMemory, NoneIsSeenWhereThereIsNone) {
  const RankObservation seen = Seen("");
  EXPECT_EQ(seen.reported.parameter_bytes, 1200000u);
  EXPECT_EQ(seen.allocated.parameter_bytes, 1200000u);
  EXPECT_NEAR(static_cast<double>(seen.process_heap_growth_bytes), parameters(), 2e5);
  ASSERT_TRUE(seen.process_growth_bytes);
  EXPECT_NEAR(static_cast<double>(*seen.process_growth_bytes), parameters(), 2e6);
  EXPECT_LT(seen.process_file_bytes, 1000000u);
  EXPECT_EQ(seen.unread, std::vector<std::string>());
}

TEST_P(HiddenMemory, OnTheHeap) {
  EXPECT_NEAR(static_cast<double>(Seen("grow").process_heap_growth_bytes), 5e6 + parameters(), 2e5);
}

TEST_P(HiddenMemory, OnTheHeapUntilTheSubjectIsAsked) {
  EXPECT_NEAR(static_cast<double>(Seen("spill").process_heap_growth_bytes), 5e6 + parameters(), 2e5);
}

TEST_P(HiddenMemory, InPagesThatEveryCaseLeavesBehind) {
  const RankObservation seen = Seen("map");
  EXPECT_LT(seen.process_heap_growth_bytes, parameters() + 1e6);
  EXPECT_NEAR(static_cast<double>(seen.process_left_bytes), 2e7, 2e6);
  EXPECT_NEAR(static_cast<double>(seen.process_growth_bytes.value_or(0)), 4e7 + parameters(), 2e6);
}

TEST_P(HiddenMemory, InAProcessThatWasForkedTwice) {
  EXPECT_GE(Seen("lost").process_growth_bytes.value_or(0), 40000000u);
}

TEST_P(HiddenMemory, InAFile) { EXPECT_NEAR(static_cast<double>(Seen("file").process_file_bytes), 2e7, 1e6); }

}  // namespace
}  // namespace zerocts
