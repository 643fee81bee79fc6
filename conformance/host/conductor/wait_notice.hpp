// A wait that lasts says what it waits for.
#pragma once
#include <chrono>
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
  WaitNotice(RunnableClock& clock, const Deadline& deadline, std::chrono::milliseconds every);

  /// To be called again and again while the wait lasts.
  void Tick(const std::function<WaitedFor()>& waited_for);

 private:
  RunnableClock& clock_;
  const Deadline deadline_;
  const std::chrono::milliseconds every_;
  SteadyTime next_ = After(every_);
};

}  // namespace zerocts
