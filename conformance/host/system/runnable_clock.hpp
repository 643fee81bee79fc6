// Time in which ranks could run: what their deadlines count. It stands still while the machine does other work.
#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "conformance/host/system/steady_time.hpp"

namespace zerocts {

class RunnableClock {
 public:
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<RunnableClock>;

  /// How long a thread of the ranks waited for a core since the last call: the one that waited longest.
  using Waited = std::function<duration()>;
  using Wall = std::function<SteadyTime()>;

  static constexpr int kMostStretch = 10;  // of a deadline by ranks that wait for a core
  static constexpr std::chrono::milliseconds kTick{200};

  explicit RunnableClock(Waited waited, Wall wall = std::chrono::steady_clock::now);

  time_point Now();
  bool Passed(time_point time);

  /// Who waits until `time` sleeps until SleepUntil, says how late it woke, and looks again.
  SteadyTime SleepUntil(time_point time);
  void Woke(SteadyTime due);

  struct Deadline {
    std::chrono::milliseconds span{0};
    time_point at = time_point::max();
    SteadyTime begun;
  };
  Deadline After(std::chrono::milliseconds span) { return {span, Now() + span, wall_()}; }
  duration Elapsed(const Deadline& deadline) { return Now() - (deadline.at - deadline.span); }
  /// "; 4 s of time in which the ranks could run took 9.3 s" of a deadline that has passed; "" where the two agree.
  std::string Stretch(const Deadline& deadline) const;

 private:
  void Look();

  const Waited waited_;
  const Wall wall_;
  SteadyTime looked_;
  duration late_{0};  // since the last look
  time_point counted_;
};

using RunnableTime = RunnableClock::time_point;
using Deadline = RunnableClock::Deadline;

}  // namespace zerocts
