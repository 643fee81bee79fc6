#include "conformance/host/rank/watchdog.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "conformance/host/system/runnable_clock.hpp"

namespace zerocts {

namespace {

constexpr auto kWatchdogTick = std::chrono::milliseconds(200);
constexpr int64_t kFarBeyondMilliseconds = 10000;  // beside the longest that the conductor waits, once more
constexpr int kWatchdogExitCode = 124;

int64_t NowMilliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Watchdog::Watchdog(pid_t conductor, int ranks) : conductor_(conductor), slots_(ranks), thread_([this] { Loop(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void Watchdog::CaseBegins(int slot, const RankPage& page, uint32_t deadline_ms) {
  slots_[slot].page = &page;
  slots_[slot].give_up_at_ms =
      NowMilliseconds() + 2 * RunnableClock::kMostStretch * int64_t{deadline_ms} + kFarBeyondMilliseconds;
}

void Watchdog::CaseEnds(int slot) {
  slots_[slot].give_up_at_ms = INT64_MAX;
  slots_[slot].page = nullptr;
}

void Watchdog::Loop() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, kWatchdogTick, [&] { return stopped_; })) {
    if (conductor_.Gone()) End("the conductor is gone");
    for (const Slot& slot : slots_) {
      if (NowMilliseconds() > slot.give_up_at_ms) End("a case has outlasted its deadline by far");
    }
  }
}

void Watchdog::End(const std::string& why) const {
  fmt::print(stderr, "worker {}: {}; it ends itself\n", getpid(), why);
  for (const Slot& slot : slots_) {
    if (const RankPage* page = slot.page) fmt::print(stderr, "  a rank stands {}\n", ToString(page->Read()));
  }
  std::fflush(stderr);
  _exit(kWatchdogExitCode);
}

}  // namespace zerocts
