// What a rank does between two polls of something that has not happened yet.
#pragma once
#include <sched.h>

#include <chrono>
#include <thread>

namespace zerocts::engine {

class PollPause {
 public:
  static constexpr std::chrono::microseconds kNap{50};

  /// Gives the processor away at first, later sleeps. With more ranks than cores a yield takes as long as others run,
  /// so it is the time that counts.
  void Wait() {
    if (polls_ < kYieldingPolls && std::chrono::steady_clock::now() - begin_ < kYielding) {
      ++polls_;
      sched_yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }

 private:
  static constexpr int kYieldingPolls = 2000;
  static constexpr std::chrono::milliseconds kYielding{1};

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int polls_ = 0;
};

}  // namespace zerocts::engine
