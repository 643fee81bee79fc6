// How long the calls of a subject took that do a step's work, and what the process holds at points of the run.
#pragma once
#include <cstdint>
#include <string>

#include "conformance/cases/case/observation.hpp"
#include "conformance/host/rank/resource_meter.hpp"

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

struct RankContext;

/// Does nothing unless the case observes it.
class CallProfile {
 public:
  explicit CallProfile(RankContext& context);

  /// All ranks stand at the start line of a call.
  void Align();
  /// Notes the last call.
  void Note(const std::string& call, int micro_batch = -1);
  /// Reads the process while the other ranks stand still.
  void NotePoint(const std::string& point, const MemoryReading& reported);

 private:
  RankContext& context_;
  CallClock clock_;
  ResourceMeter resources_;
};

}  // namespace zerocts
