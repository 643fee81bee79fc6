// How long the calls of a subject took that do a step's work, and what the process holds at points of the first step.
#pragma once
#include <cstdint>
#include <string>

#include "conformance/cases/case/observation.hpp"
#include "conformance/host/rank/rendezvous_client.hpp"

namespace zerocts {

/// Around one call: the machine's monotonic clock, and the time that processors worked for this process (where ranks
/// are threads: for this thread).
class CallClock {
 public:
  explicit CallClock(bool ranks_are_threads) : ranks_are_threads_(ranks_are_threads) {}
  void Start();
  void Stop();
  /// Returns the times of the last call.
  CallTime Take(int64_t step, const std::string& call, int micro_batch) const;

 private:
  int64_t CpuNanoseconds() const;

  const bool ranks_are_threads_;
  int64_t begin_ns_ = 0, end_ns_ = 0, cpu_begin_ns_ = 0, cpu_ns_ = 0;
};

/// Does nothing unless the case observes it.
class CallProfile {
 public:
  CallProfile(bool observed, bool ranks_are_threads, RendezvousClient& rendezvous, uint32_t deadline_ms)
      : clock_(ranks_are_threads), observed_(observed), rendezvous_(rendezvous), deadline_ms_(deadline_ms) {}

  bool observed() const { return observed_; }
  CallClock& clock() { return clock_; }
  /// All ranks stand at the start line of a call.
  void Align();
  void Note(const std::string& call, int64_t step, int micro_batch, RankObservation& observation) const;
  /// Reads the process while the other ranks stand still.
  void NotePoint(const std::string& point, const MemoryReading& reported, const MemoryReading& allocated,
                 RankObservation& observation);

 private:
  CallClock clock_;
  const bool observed_;
  RendezvousClient& rendezvous_;
  const uint32_t deadline_ms_;
};

}  // namespace zerocts
