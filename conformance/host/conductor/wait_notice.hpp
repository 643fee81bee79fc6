// A wait that lasts says what it waits for.
#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace zerocts {

struct WaitedFor {
  std::string what;   // "rank 2 to say hello"
  std::string state;  // of what is waited for: "its process 77 stands stopped by a signal"; may be empty
};

/// On stderr, once per `every`: "waiting for rank 2 to say hello (34 of 120 s); its process 77 stands stopped by a
/// signal".
class WaitNotice {
 public:
  WaitNotice(std::chrono::milliseconds deadline, std::chrono::milliseconds every);

  /// To be called again and again while the wait lasts.
  void Tick(const std::function<WaitedFor()>& waited_for);

 private:
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds deadline_, every_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + every_;
};

}  // namespace zerocts
