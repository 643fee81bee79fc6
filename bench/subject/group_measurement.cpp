#include "bench/subject/group_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "bench/timing/moments.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/report/view/endings.hpp"
#include "conformance/report/view/verdict_of_run.hpp"

namespace zerocts {
namespace {

/// Seconds that the i-th call of all ranks took.
double SecondsTogether(const std::vector<RankObservation>& ranks, size_t i) {
  int64_t begin = 0, end = 0;
  for (const RankObservation& rank : ranks) {
    begin = std::max(begin, rank.calls[i].begin_ns);
    end = std::max(end, rank.calls[i].end_ns);
  }
  return 1e-9 * static_cast<double>(std::max<int64_t>(end - begin, 0));
}

std::vector<StepSeconds> StepsOf(const std::vector<RankObservation>& ranks) {
  std::vector<StepSeconds> steps(static_cast<size_t>(ranks.front().calls.back().step) + 1);
  for (size_t i = 0; i < ranks.front().calls.size(); ++i) {
    const CallTime& call = ranks.front().calls[i];
    StepSeconds& step = steps.at(static_cast<size_t>(call.step));
    (call.call == "step" ? step.step : step.accumulate) += SecondsTogether(ranks, i);
    for (const RankObservation& rank : ranks) step.cpu += 1e-9 * static_cast<double>(rank.calls[i].cpu_ns);
  }
  steps.erase(steps.begin());
  return steps;
}

StepTraffic MovedInLastStep(const std::vector<RankObservation>& ranks) {
  StepTraffic sum;
  for (const RankObservation& rank : ranks) {
    for (const auto& [name, count] : kCollectives) sum.*count += rank.traffic.back().*count;
  }
  return sum;
}

std::vector<RankSpan> LastStepOf(const std::vector<RankObservation>& ranks) {
  std::vector<RankSpan> spans;
  for (const RankObservation& rank : ranks) {
    for (const TimelineSpan& span : rank.timeline) {
      if (span.step == rank.calls.back().step) spans.push_back({rank.rank, span});
    }
  }
  return spans;
}

/// The share of all ranks and all steps but the first.
std::optional<double> HiddenShareOf(const std::vector<RankObservation>& ranks) {
  int64_t under_way = 0, hidden = 0;
  for (const RankObservation& rank : ranks) {
    for (int64_t step = 1; step <= rank.calls.back().step; ++step) {
      auto of_step = rank.timeline | std::views::filter([&](const TimelineSpan& span) { return span.step == step; });
      const Moments collectives = MomentsOf(of_step, {"reduce_scatter", "all_gather", "all_reduce"});
      under_way += LengthNs(collectives);
      hidden += SharedNs(collectives, MomentsOf(of_step, {"forward", "backward"}));
    }
  }
  if (under_way == 0) return std::nullopt;
  return static_cast<double>(hidden) / static_cast<double>(under_way);
}

/// The memory of the rank whose process held most; ranks that are threads have an equal share of their process.
std::vector<MemoryPoint> PointsOfWhoHeldMost(const std::vector<RankObservation>& ranks) {
  const RankObservation& most = *std::ranges::max_element(ranks, {}, [](const RankObservation& rank) {
    return rank.memory_points.empty() ? 0 : rank.memory_points.back().held_bytes;
  });
  std::vector<MemoryPoint> points = most.memory_points;
  std::erase_if(points, [](const MemoryPoint& point) { return point.point == "middle" || point.point == "end"; });
  for (MemoryPoint& point : points) {
    point.held_bytes /= static_cast<uint64_t>(most.ranks_in_process);
    point.peak_bytes /= static_cast<uint64_t>(most.ranks_in_process);
    if (point.heap_bytes) *point.heap_bytes /= static_cast<uint64_t>(most.ranks_in_process);
  }
  return points;
}

/// As memory of the process or in its heap, where free blocks hide what few small steps lose.
double GainBetween(const MemoryPoint& before, const MemoryPoint& after) {
  const auto gain = [](uint64_t from, uint64_t to) { return static_cast<double>(to) - static_cast<double>(from); };
  const double of_process = gain(before.held_bytes, after.held_bytes);
  if (!before.heap_bytes || !after.heap_bytes) return of_process;
  return std::max(of_process, gain(*before.heap_bytes, *after.heap_bytes));
}

/// The rank that gained most counts. Nothing where a run is too short, or its ranks do not tell.
std::optional<double> GainedBytes(const std::vector<RankObservation>& ranks) {
  const int64_t steps = ranks.front().calls.back().step + 1, middle = MiddleStep(steps);
  std::optional<double> most;
  for (const RankObservation& rank : ranks) {
    const auto at = [&](const char* point) {
      const auto found = std::ranges::find(rank.memory_points, point, &MemoryPoint::point);
      return found == rank.memory_points.end() ? MemoryPoint{} : *found;
    };
    const MemoryPoint before = at("middle"), after = at("end");
    if (before.held_bytes == 0 || after.held_bytes == 0) continue;
    const double per_step = GainBetween(before, after) / static_cast<double>(steps - 1 - middle);
    most = std::max(most.value_or(0), per_step / rank.ranks_in_process);
  }
  return most;
}

void ExpectProfiles(const RunResult& result) {
  if (result.ending != Ending::kObserved)
    ThrowEnded(result, fmt::format("{}: {}", ToString(result.ending), result.message));
  const size_t calls = result.ranks.front().calls.size();
  for (const RankObservation& rank : result.ranks) {
    if (rank.calls.size() == calls && rank.calls.size() > 1 && rank.calls.back().step > 0) continue;
    throw std::runtime_error(
        fmt::format("rank {} tells no times: expected \"calls\" of every step in what it observed; use ranks of this "
                    "release of zerocts",
                    rank.rank));
  }
}

}  // namespace

void ThrowEnded(const RunResult& result, const std::string& sentence) {
  if (ExitCodeOf(ResultOf(result.ending)) == kExitCrashOrHang) throw RanksLost(sentence);
  throw std::runtime_error(sentence);
}

GroupMeasurement MeasurementOf(const RunResult& result) {
  ExpectProfiles(result);
  GroupMeasurement measurement;
  measurement.steps = StepsOf(result.ranks);
  measurement.counts_traffic =
      std::ranges::all_of(result.ranks, [](const RankObservation& rank) { return !rank.traffic.empty(); });
  if (measurement.counts_traffic) measurement.moved = MovedInLastStep(result.ranks);
  measurement.last_step = LastStepOf(result.ranks);
  measurement.hidden = HiddenShareOf(result.ranks);
  measurement.points = PointsOfWhoHeldMost(result.ranks);
  measurement.gained = GainedBytes(result.ranks);
  return measurement;
}

std::vector<double> TotalSeconds(const GroupMeasurement& measurement) {
  std::vector<double> seconds;
  for (const StepSeconds& step : measurement.steps) seconds.push_back(step.total());
  return seconds;
}

}  // namespace zerocts
