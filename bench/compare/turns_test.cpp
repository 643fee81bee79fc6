#include "bench/compare/turns.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <thread>

namespace zerocts {
namespace {

using Side = Turns::Side;

/// Each side makes its steps; in which order were they made?
class Steps {
 public:
  void Make(Turns& turns, Side side, int steps) {
    turns.Await(side);
    for (int step = 0; step < steps; ++step) {
      {
        const std::lock_guard lock(mutex_);
        made_ += side == Side::kFirst ? 'A' : 'B';
      }
      turns.Pass(side);
    }
    turns.Leave(side);
  }
  const std::string& made() const { return made_; }

 private:
  std::mutex mutex_;
  std::string made_;
};

std::string Order(Side begins, int first_steps, int second_steps, int64_t rounds) {
  Turns turns(rounds, begins);
  Steps steps;
  {
    const std::jthread second([&] { steps.Make(turns, Side::kSecond, second_steps); });
    steps.Make(turns, Side::kFirst, first_steps);
  }
  return steps.made();
}

TEST(Turns, AlternateAndSoDoesWhoGoesFirst) {
  EXPECT_EQ(Order(Side::kFirst, 5, 5, 5), "ABBAABBAAB");
  EXPECT_EQ(Order(Side::kSecond, 3, 3, 3), "BAABBA");
}

TEST(Turns, OfASideThatLeavesAreSkipped) {
  EXPECT_EQ(Order(Side::kFirst, 1, 4, 4), "ABBBB");
  EXPECT_EQ(Order(Side::kFirst, 3, 0, 3), "AAA");
}

TEST(Turns, WhoIsDoneWaitsForTheOtherToMakeItsLastStep) {
  Turns turns(2, Side::kFirst);  // A B, B A
  bool second_made_its_last = false;
  const std::jthread second([&] {
    turns.Await(Side::kSecond);
    turns.Pass(Side::kSecond);  // at once, for the next round begins with it
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    second_made_its_last = true;
    turns.Pass(Side::kSecond);
  });
  turns.Await(Side::kFirst);
  turns.Pass(Side::kFirst);
  EXPECT_TRUE(second_made_its_last);
  turns.Pass(Side::kFirst);
}

}  // namespace
}  // namespace zerocts
