#include "impl/comm/direct/meeting.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace zerocts::engine {
namespace {

constexpr uint32_t kBroken = 1;
constexpr int kYields = 16;  // before sleeping: with more ranks than cores the one that is awaited runs meanwhile
constexpr std::chrono::nanoseconds kNap = std::chrono::microseconds(50);  // between two looks at something else

}  // namespace

bool Meeting::Passed(uint32_t phase) const { return phase >> 1 != (completed_ & 0x7fffffffu); }

void Meeting::Meet(const CollectiveCall& call, const std::function<void()>& meanwhile) {
  block_.slot(rank_).meetings.store(completed_ + 1);
  uint32_t phase = completed_ << 1;

  // `phase` changes by compare-and-swap only: a meeting is either completed by the last rank that comes or broken by
  // one that gives up, never both.
  const bool last = block_.attending.fetch_add(1) + 1 == static_cast<uint32_t>(world_size_);
  if (last) {
    block_.attending.store(0);
    if (block_.phase.compare_exchange_strong(phase, phase + 2)) {
      WakeAll();
      ++completed_;
      return;
    }
  }

  for (int yields = 0; phase = block_.phase.load(), !Passed(phase) && !(phase & kBroken); ++yields) {
    if (call.expired()) {
      GiveUp();
    } else if (yields < kYields) {
      sched_yield();
    } else {
      SleepUntilItChanges(phase, meanwhile ? std::min(call.remaining(), kNap) : call.remaining());
    }
    if (meanwhile) meanwhile();
  }
  if (!Passed(phase)) {
    const Attendance attendance = Attended();
    GiveUp();
    throw call.Timeout(attendance);
  }
  ++completed_;
}

void Meeting::GiveUp() {
  // Only the phase that this rank is in can be broken by it; one that was completed meanwhile counts, and the next one
  // is broken instead.
  block_.slot(rank_).gave_up.store(1);
  block_.phase.fetch_or(kBroken);
  WakeAll();
}

Attendance Meeting::Attended() const {
  Attendance attendance;
  const uint32_t mine = block_.slot(rank_).meetings.load();
  for (int rank = 0; rank < world_size_; ++rank) {
    const bool came = block_.slot(rank).meetings.load() == mine;
    (came ? attendance.arrived : attendance.missing).push_back(rank);
  }
  // Why they are missing, or when all came: who did not wait for the last of them.
  for (int rank : attendance.missing.empty() ? attendance.arrived : attendance.missing) {
    if (rank != rank_ && block_.slot(rank).gave_up.load()) attendance.gave_up.push_back(rank);
  }
  return attendance;
}

// Futexes that are not private: the same calls serve threads and processes.
void Meeting::SleepUntilItChanges(uint32_t phase, std::chrono::nanoseconds at_most) const {
  const auto ns = std::max<int64_t>(at_most.count(), 0);
  const timespec timeout{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&block_.phase), FUTEX_WAIT, phase, &timeout, nullptr, 0);
}

void Meeting::WakeAll() const {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&block_.phase), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

}  // namespace zerocts::engine
