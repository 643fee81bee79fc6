// The barrier of ranks that see one memory: nobody passes before all have come. It spins for a moment, then sleeps on
// a futex.
#pragma once
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "impl/comm/collective_call.hpp"
#include "impl/comm/direct/shared_block.hpp"

namespace zerocts::engine {

class SharedBarrier {
 public:
  SharedBarrier(SharedBlock& block, int rank, int world_size) : block_(block), rank_(rank), world_size_(world_size) {}
  ~SharedBarrier() { Abort(); }
  SharedBarrier(const SharedBarrier&) = delete;
  SharedBarrier& operator=(const SharedBarrier&) = delete;

  /// Throws CollectiveTimeout when the deadline of `call` runs out, and at once when a rank that is awaited aborted.
  /// What ranks wrote before they came is visible to all after it. It sleeps no longer than a moment between
  /// two calls of `meanwhile`, if there is one.
  void ArriveAndWait(const CollectiveCall& call, const std::function<void()>& meanwhile = {}) {
    block_.slot(rank_).barriers.store(completed_ + 1);
    uint32_t phase = completed_ << 1;

    // `phase` changes by compare-and-swap only: a barrier is either completed by the last rank that comes or broken by
    // one that aborts, never both.
    const bool last = block_.arrived.fetch_add(1) + 1 == static_cast<uint32_t>(world_size_);
    if (last) {
      block_.arrived.store(0);
      if (block_.phase.compare_exchange_strong(phase, phase + 2)) {
        WakeAll();
        ++completed_;
        return;
      }
    }

    const auto begin = std::chrono::steady_clock::now();
    for (int yields = 0; phase = block_.phase.load(), !Passed(phase) && !(phase & kBroken); ++yields) {
      if (call.expired()) {
        Abort();
      } else if (yields < kYields && std::chrono::steady_clock::now() - begin < kYielding) {
        sched_yield();
      } else {
        SleepUntilItChanges(phase,
                            meanwhile ? std::min<std::chrono::nanoseconds>(call.remaining(), kNap) : call.remaining());
      }
      if (meanwhile) meanwhile();
    }
    if (!Passed(phase)) {
      const Arrivals arrivals = WhoArrived();
      Abort();
      throw call.Timeout(arrivals);
    }
    ++completed_;
  }

  /// Breaks the barrier: this rank will not come any more, and who waits for it shall not wait on.
  void Abort() {
    // Only the phase that this rank is in can be broken by it; one that was completed meanwhile counts, and the next
    // one is broken instead.
    block_.slot(rank_).aborted.store(1);
    block_.phase.fetch_or(kBroken);
    WakeAll();
  }

 private:
  static constexpr uint32_t kBroken = 1;

  // Before sleeping: with more ranks than cores the one that is awaited runs meanwhile. But a yield to a stranger that
  // computes takes a whole time slice, and who sleeps is woken at once.
  static constexpr int kYields = 16;
  static constexpr std::chrono::microseconds kYielding{100};
  static constexpr std::chrono::microseconds kNap{50};  // between two looks at something else

  bool Passed(uint32_t phase) const { return phase >> 1 != (completed_ & 0x7fffffffu); }
  // Futexes that are not private: the same calls serve threads and processes.
  void SleepUntilItChanges(uint32_t phase, std::chrono::nanoseconds at_most) const {
    const auto ns = std::max<int64_t>(at_most.count(), 0);
    const timespec timeout{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&block_.phase), FUTEX_WAIT, phase, &timeout, nullptr, 0);
  }
  void WakeAll() const {
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&block_.phase), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
  }
  Arrivals WhoArrived() const {
    Arrivals arrivals;
    const uint32_t mine = block_.slot(rank_).barriers.load();
    for (int rank = 0; rank < world_size_; ++rank) {
      const bool came = block_.slot(rank).barriers.load() == mine;
      (came ? arrivals.arrived : arrivals.missing).push_back(rank);
    }
    // Why they are missing, or when all came: who did not wait for the last of them.
    for (int rank : arrivals.missing.empty() ? arrivals.arrived : arrivals.missing) {
      if (rank != rank_ && block_.slot(rank).aborted.load()) arrivals.aborted.push_back(rank);
    }
    return arrivals;
  }

  SharedBlock& block_;
  const int rank_, world_size_;
  uint32_t completed_ = 0;  // barriers that this rank has passed
};

}  // namespace zerocts::engine
