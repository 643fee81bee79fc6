#include "conformance/host/system/runnable_clock.hpp"

#include <gtest/gtest.h>

namespace zerocts {
namespace {

using namespace std::chrono_literals;

class Clock : public testing::Test {
 protected:
  /// As a conductor that waits for a deadline of one second: how long that takes. `share` of each wait its ranks could
  /// run in, and by `late` it wakes too late.
  std::chrono::milliseconds OneSecond(double share, std::chrono::milliseconds late) {
    share_ = share;
    const SteadyTime begin = wall_;
    const Deadline deadline = clock_.After(1s);
    while (!clock_.Passed(deadline.at)) {
      const SteadyTime due = clock_.SleepUntil(deadline.at);
      wall_ = due + late;
      clock_.Woke(due);
    }
    stretch_ = clock_.Stretch(deadline);
    return std::chrono::round<std::chrono::milliseconds>(wall_ - begin);
  }

  double share_ = 1;
  std::string stretch_;
  SteadyTime wall_, asked_;
  RunnableClock clock_{[this] {
                         const auto waited = (wall_ - asked_) * (1 - share_);
                         asked_ = wall_;
                         return std::chrono::round<RunnableClock::duration>(waited);
                       },
                       [this] { return wall_; }};
};

TEST_F(Clock, GoesWithTheWallOnAQuietMachine) {
  EXPECT_EQ(OneSecond(1, 0ms), 1s);
  EXPECT_EQ(stretch_, "");
}

TEST_F(Clock, CountsWhatRanksCouldRunIn) {
  EXPECT_NEAR(OneSecond(0.25, 0ms).count(), 4000, 5);
  EXPECT_EQ(stretch_, "; 1 s of time in which the ranks could run took 4.0 s");
}

TEST_F(Clock, GivesRanksThatNeverRunTenTimesTheirDeadline) { EXPECT_NEAR(OneSecond(0, 0ms).count(), 10000, 5); }

TEST_F(Clock, DoesNotCountWhatWhoWaitsWasLate) {
  EXPECT_EQ(OneSecond(1, 300ms), 2500ms);  // five waits of 200 ms
  EXPECT_EQ(OneSecond(1, 100s), 501s);
}

TEST_F(Clock, TakesTimeThatBothLostOnce) { EXPECT_NEAR(OneSecond(0.4, 300ms).count(), 2500, 5); }

TEST_F(Clock, CountsIdleTimeBeforeADeadlineForNothing) {
  wall_ += 1h;
  EXPECT_EQ(OneSecond(1, 0ms), 1s);
}

}  // namespace
}  // namespace zerocts
