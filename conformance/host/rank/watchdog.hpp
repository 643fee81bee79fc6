// Ends a worker that nobody would end otherwise: its conductor is gone, or a case has outlasted its deadline by far.
#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/host/system/held_process.hpp"
#include "conformance/host/system/runnable_clock.hpp"
#include "conformance/host/wire/rank_page.hpp"

namespace zerocts {

class Watchdog {
 public:
  /// `ranks`: how many this process hosts.
  Watchdog(pid_t conductor, int ranks) : conductor_(conductor), slots_(ranks), thread_([this] { Loop(); }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    stop_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// `slot` of [0, ranks) runs a case; its page says where it stands.
  void CaseBegins(int slot, const RankPage& page, uint32_t deadline_ms) {
    slots_[slot].page = &page;
    slots_[slot].give_up_at_ms =
        NowMilliseconds() + 2 * RunnableClock::kMostStretch * int64_t{deadline_ms} + kFarBeyondMilliseconds;
  }
  void CaseEnds(int slot) {
    slots_[slot].give_up_at_ms = INT64_MAX;
    slots_[slot].page = nullptr;
  }

 private:
  static constexpr auto kWatchdogTick = std::chrono::milliseconds(200);
  static constexpr int64_t kFarBeyondMilliseconds = 10000;  // beside the longest that the conductor waits, once more
  static constexpr int kWatchdogExitCode = 124;

  static int64_t NowMilliseconds() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  struct Slot {
    std::atomic<int64_t> give_up_at_ms{INT64_MAX};  // of the steady clock
    std::atomic<const RankPage*> page{nullptr};
  };
  void Loop() {
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, kWatchdogTick, [&] { return stopped_; })) {
      if (conductor_.Gone()) End("the conductor is gone");
      for (const Slot& slot : slots_) {
        if (NowMilliseconds() > slot.give_up_at_ms) End("a case has outlasted its deadline by far");
      }
    }
  }
  void End(const std::string& why) const {
    fmt::print(stderr, "worker {}: {}; it ends itself\n", getpid(), why);
    for (const Slot& slot : slots_) {
      if (const RankPage* page = slot.page) fmt::print(stderr, "  a rank stands {}\n", ToString(page->Read()));
    }
    std::fflush(stderr);
    _exit(kWatchdogExitCode);
  }

  const HeldProcess conductor_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace zerocts
