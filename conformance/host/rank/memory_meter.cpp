#include "conformance/host/rank/memory_meter.hpp"

#include "conformance/host/memory/host_memory.hpp"
#include "conformance/host/system/process_memory.hpp"

namespace zerocts {
namespace {

uint64_t Growth(uint64_t before, uint64_t now, uint64_t ours) { return now > before + ours ? now - before - ours : 0; }

}  // namespace

/// One rank measures while the others stand still. When one does not come its case has failed, and so has what is
/// measured.
template <typename Measure>
void MemoryMeter::Once(int rank, StoreClient& store, uint32_t deadline_ms, Measure measure) {
  if (shared_) store.Barrier(deadline_ms);
  if (rank == 0 || !shared_) measure();
  if (shared_) store.Barrier(deadline_ms);
}

void MemoryMeter::Begin(int rank, StoreClient& store, uint32_t deadline_ms) {
  Once(rank, store, deadline_ms, [&] {
    const uint64_t kept = store.KeptBytes();
    observation_bytes_ = 0;
    heap_before_ = HeapBytes() - kept;
    process_before_ = CountedBytes();
    if (process_before_) *process_before_ -= kept;
  });
}

MemoryGrowth MemoryMeter::End(int rank, StoreClient& store, uint32_t deadline_ms, uint64_t observation_bytes) {
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

}  // namespace zerocts
