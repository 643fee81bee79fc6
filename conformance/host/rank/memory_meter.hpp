// How much the memory of this process grew while a case ran, seen from outside of the subject.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/rank/store_client.hpp"
#include "conformance/host/system/process_memory.hpp"

namespace zerocts {

struct MemoryGrowth {
  uint64_t heap_bytes = 0;
  std::optional<uint64_t> process_bytes;  // as the kernel counts; none where it does not tell
};

/// One per process. With ranks as threads all of them call Begin and End, collectively, and get the same numbers.
class MemoryMeter {
 public:
  explicit MemoryMeter(int ranks_in_process) : shared_(ranks_in_process > 1) {}

  void Begin(int rank, StoreClient& store, uint32_t deadline_ms) {
    Once(rank, store, deadline_ms, [&] {
      const uint64_t kept = store.KeptBytes();
      observation_bytes_ = 0;
      heap_before_ = HeapBytes() - kept;
      process_before_ = CountedBytes();
      if (process_before_) *process_before_ -= kept;
    });
  }
  /// Growth since Begin without `observation_bytes`, what the rank's observation takes of it, and without what the
  /// store keeps.
  MemoryGrowth End(int rank, StoreClient& store, uint32_t deadline_ms, uint64_t observation_bytes) {
    observation_bytes_ += observation_bytes;
    Once(rank, store, deadline_ms, [&] {
      const uint64_t ours = observation_bytes_ + store.KeptBytes();
      MemoryGrowth growth{.heap_bytes = Growth(heap_before_, HeapBytes(), ours)};
      const std::optional<uint64_t> counted = CountedBytes();
      if (process_before_ && counted) growth.process_bytes = Growth(*process_before_, *counted, ours);
      const std::lock_guard lock(mutex_);
      growth_ = growth;
    });
    const std::lock_guard lock(mutex_);
    return growth_;
  }

 private:
  static uint64_t Growth(uint64_t before, uint64_t now, uint64_t ours) {
    return now > before + ours ? now - before - ours : 0;
  }

  /// One rank measures while the others stand still. When one does not come its case has failed, and so has what is
  /// measured.
  template <typename Measure>
  void Once(int rank, StoreClient& store, uint32_t deadline_ms, Measure measure) {
    if (shared_) store.Barrier(deadline_ms);
    if (rank == 0 || !shared_) measure();
    if (shared_) store.Barrier(deadline_ms);
  }

  const bool shared_;
  uint64_t heap_before_ = 0;
  std::optional<uint64_t> process_before_;
  std::atomic<uint64_t> observation_bytes_{0};
  std::mutex mutex_;  // of growth_: a rank that missed the others reads it at any time
  MemoryGrowth growth_;
};

}  // namespace zerocts
