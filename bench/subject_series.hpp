// Of all rounds of a member: one series, one sum.
#pragma once
#include <vector>

#include "bench/subject_measurement.hpp"

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

/// Of the four collectives, with their names.
inline std::vector<std::pair<const char*, StepTraffic::Count>> CollectivesOf(const StepTraffic& moved) {
  return {{"reduce_scatter", moved.reduce_scatter},
          {"all_gather", moved.all_gather},
          {"all_reduce", moved.all_reduce},
          {"broadcast", moved.broadcast}};
}

inline StepTraffic::Count SumOf(const StepTraffic& moved) {
  StepTraffic::Count sum;
  for (const auto& [name, count] : CollectivesOf(moved)) {
    sum.calls += count.calls;
    sum.sent_bytes += count.sent_bytes;
    sum.received_bytes += count.received_bytes;
  }
  return sum;
}

}  // namespace zerocts
