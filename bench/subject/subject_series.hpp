// Of all rounds of a member: one series, one sum.
#pragma once
#include <vector>

#include "bench/subject/subject_measurement.hpp"

namespace zerocts {

/// `figure` of each step of all rounds, in seconds; for the bound its own times.
template <typename Figure>
std::vector<double> SeriesOf(const BenchMember& member, Figure figure) {
  std::vector<double> series = member.bound_seconds;
  for (const GroupMeasurement& round : member.rounds) {
    for (const StepSeconds& step : round.steps) series.push_back(std::invoke(figure, step));
  }
  return series;
}

inline StepTraffic::Count SumOf(const StepTraffic& moved) {
  StepTraffic::Count sum;
  for (const auto& [name, count] : kCollectives) sum += moved.*count;
  return sum;
}

}  // namespace zerocts
