// A wait that lasts says what it waits for.
#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/system/steady_time.hpp"

namespace zerocts {

struct WaitedFor {
  std::string what;   // "rank 2 to say hello"
  std::string state;  // of what is waited for: "its process 77 stands stopped by a signal"; may be empty
};

/// On stderr, once per `every`: "waiting for rank 2 to say hello (34 of 120 s); its process 77 stands stopped by a
/// signal".
class WaitNotice {
 public:
  WaitNotice(RunnableClock& clock, const Deadline& deadline, std::chrono::milliseconds every)
      : clock_(clock), deadline_(deadline), every_(every) {}

  /// To be called again and again while the wait lasts.
  void Tick(const std::function<WaitedFor()>& waited_for) {
    if (std::chrono::steady_clock::now() < next_) return;
    next_ = After(every_);
    const auto [what, state] = waited_for();
    fmt::print(stderr, "{}waiting for {} ({:.0f} of {:.0f} s){}{}\n", FreshLine(), what,
               Seconds(clock_.Elapsed(deadline_)), Seconds(deadline_.span), state.empty() ? "" : "; ", state);
  }

 private:
  static double Seconds(RunnableClock::duration duration) { return std::chrono::duration<double>(duration).count(); }

  /// A line of progress may stand on the terminal.
  static const char* FreshLine() { return isatty(STDERR_FILENO) ? "\r\x1b[K" : ""; }

  RunnableClock& clock_;
  const Deadline deadline_;
  const std::chrono::milliseconds every_;
  SteadyTime next_ = After(every_);
};

}  // namespace zerocts
