// How much the heap of this process grew while a case ran, seen from outside of the subject.
#pragma once
#include <atomic>
#include <cstdint>

#include "conformance/host/rank/rendezvous_client.hpp"

namespace zerocts {

/// One per process. With ranks as threads all of them call Begin and End, collectively, and get the same number.
class HeapMeter {
 public:
  explicit HeapMeter(int ranks_in_process) : shared_(ranks_in_process > 1) {}

  void Begin(int rank, RendezvousClient& rendezvous, uint32_t deadline_ms);
  /// Growth since Begin without `observation_bytes`, what the rank's observation takes of it, and without what the
  /// rendezvous keeps.
  uint64_t End(int rank, RendezvousClient& rendezvous, uint32_t deadline_ms, uint64_t observation_bytes);

 private:
  template <typename Measure>
  void Once(int rank, RendezvousClient& rendezvous, uint32_t deadline_ms, Measure measure);

  bool shared_;
  std::atomic<uint64_t> before_{0}, observation_bytes_{0}, growth_{0};
};

}  // namespace zerocts
