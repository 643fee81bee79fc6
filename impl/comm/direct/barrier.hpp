// The barrier of ranks that see one memory: nobody passes before all have come. It spins for a moment, then sleeps on
// a futex.
#pragma once
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
  void ArriveAndWait(const CollectiveCall& call, const std::function<void()>& meanwhile = {});

  /// Breaks the barrier: this rank will not come any more, and who waits for it shall not wait on.
  void Abort();

 private:
  bool Passed(uint32_t phase) const;
  void SleepUntilItChanges(uint32_t phase, std::chrono::nanoseconds at_most) const;
  void WakeAll() const;
  Arrivals WhoArrived() const;

  SharedBlock& block_;
  const int rank_, world_size_;
  uint32_t completed_ = 0;  // barriers that this rank has passed
};

}  // namespace zerocts::engine
