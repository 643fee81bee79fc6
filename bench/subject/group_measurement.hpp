// What a group of ranks showed of its speed and memory in one run of a case.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
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

/// Ranks that crashed or hung: exit code 4.
struct RanksLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws std::runtime_error, or RanksLost, with how a group ended.
[[noreturn]] void ThrowEnded(const RunResult& result, const std::string& sentence);

/// Throws as above when the run did not end well, or its ranks tell no profile.
GroupMeasurement MeasurementOf(const RunResult& result);

std::vector<double> TotalSeconds(const GroupMeasurement& measurement);

}  // namespace zerocts
