// How much the memory of this process grew while a case ran, seen from outside of the subject.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "conformance/host/rank/store_client.hpp"

namespace zerocts {

struct MemoryGrowth {
  uint64_t heap_bytes = 0;
  std::optional<uint64_t> process_bytes;  // as the kernel counts; none where it does not tell
};

/// One per process. With ranks as threads all of them call Begin and End, collectively, and get the same numbers.
class MemoryMeter {
 public:
  explicit MemoryMeter(int ranks_in_process) : shared_(ranks_in_process > 1) {}

  void Begin(int rank, StoreClient& store, uint32_t deadline_ms);
  /// Growth since Begin without `observation_bytes`, what the rank's observation takes of it, and without what the
  /// store keeps.
  MemoryGrowth End(int rank, StoreClient& store, uint32_t deadline_ms, uint64_t observation_bytes);

 private:
  template <typename Measure>
  void Once(int rank, StoreClient& store, uint32_t deadline_ms, Measure measure);

  const bool shared_;
  uint64_t heap_before_ = 0;
  std::optional<uint64_t> process_before_;
  std::atomic<uint64_t> observation_bytes_{0};
  std::mutex mutex_;  // of growth_: a rank that missed the others reads it at any time
  MemoryGrowth growth_;
};

}  // namespace zerocts
