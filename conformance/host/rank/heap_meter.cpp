#include "conformance/host/rank/heap_meter.hpp"

#include "conformance/host/rank/host_memory.hpp"

namespace zerocts {

/// One rank measures while the others stand still. When one does not come its case has failed, and so has what is
/// measured.
template <typename Measure>
void HeapMeter::Once(int rank, RendezvousClient& rendezvous, uint32_t deadline_ms, Measure measure) {
  if (shared_) rendezvous.Barrier(deadline_ms);
  if (rank == 0 || !shared_) measure();
  if (shared_) rendezvous.Barrier(deadline_ms);
}

void HeapMeter::Begin(int rank, RendezvousClient& rendezvous, uint32_t deadline_ms) {
  Once(rank, rendezvous, deadline_ms, [&] {
    observation_bytes_ = 0;
    before_ = HeapBytes() - rendezvous.KeptBytes();
  });
}

uint64_t HeapMeter::End(int rank, RendezvousClient& rendezvous, uint32_t deadline_ms, uint64_t observation_bytes) {
  observation_bytes_ += observation_bytes;
  Once(rank, rendezvous, deadline_ms, [&] {
    const uint64_t other = before_ + observation_bytes_ + rendezvous.KeptBytes(), now = HeapBytes();
    growth_ = now > other ? now - other : 0;
  });
  return growth_;
}

}  // namespace zerocts
