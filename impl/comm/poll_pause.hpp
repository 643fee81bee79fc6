// What a rank does between two polls of something that has not happened yet.
#pragma once
#include <sched.h>

#include <chrono>
#include <thread>

namespace zerocts::engine {

class PollPause {
 public:
  static constexpr std::chrono::microseconds kNap{50};

  /// Gives the processor away at first, later sleeps.
  void Wait() {
    if (polls_ < kYieldingPolls) {
      ++polls_;
      sched_yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }

 private:
  static constexpr int kYieldingPolls = 2000;
  int polls_ = 0;
};

}  // namespace zerocts::engine
