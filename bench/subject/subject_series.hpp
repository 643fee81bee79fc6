// Combines all rounds of a member: one series, one sum.
#pragma once
#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "bench/subject/subject_measurement.hpp"
#include "bench/timing/statistics.hpp"

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

/// What a rank gained in each step of the second half of a round, in the round with the least. Nothing: not seen, or in
/// too few rounds.
inline std::optional<double> LeastGainOf(const BenchMember& member) {
  constexpr size_t kFewRounds = 3;
  std::optional<double> least;
  if (member.rounds.size() < kFewRounds) return least;
  for (const GroupMeasurement& round : member.rounds) {
    if (round.gained) least = std::min(least.value_or(*round.gained), *round.gained);
  }
  return least;
}

/// The median of what rounds hid of their collectives. Nothing where ranks tell none, or wait for cores.
inline std::optional<double> HiddenShareOf(const BenchMember& member) {
  std::vector<double> shares;
  for (const GroupMeasurement& round : member.rounds) {
    if (round.hidden) shares.push_back(*round.hidden);
  }
  if (shares.empty() || member.ranks > static_cast<int>(std::thread::hardware_concurrency())) return std::nullopt;
  return MedianOf(shares);
}

}  // namespace zerocts
