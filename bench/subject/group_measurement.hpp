// What a group of ranks showed of its speed and memory in one run of a case.
#pragma once
#include <optional>
#include <vector>

#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// Seconds of one step, from the moment when the last rank came to the moment when the last rank left each call; the
/// conductor holds all back until the last has come. `cpu` is of all ranks together.
struct StepSeconds {
  double accumulate = 0, step = 0, cpu = 0;
  double total() const { return accumulate + step; }
};

struct RankSpan {
  int rank = 0;
  TimelineSpan span;
};

struct GroupMeasurement {
  std::vector<StepSeconds> steps;   // without the first one
  StepTraffic moved;                // of all ranks together in the last step
  bool counts_traffic = false;      // else `moved` says nothing
  std::optional<double> hidden;     // share of the collectives' time beside forward or backward, where ranks tell it
  std::vector<RankSpan> last_step;  // its timeline, rank by rank, where ranks tell one
  std::vector<MemoryPoint> points;  // of the first step, of the rank that held most at the end; threads share theirs
  std::optional<double> gained;     // bytes that a rank's process holds more after each step of the second half
};

/// Throws std::runtime_error with a sentence when the run did not end well, or its ranks tell no profile.
GroupMeasurement MeasurementOf(const RunResult& result);

std::vector<double> TotalSeconds(const GroupMeasurement& measurement);

}  // namespace zerocts
