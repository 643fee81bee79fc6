// The records of `zerocts bench`.
#include <algorithm>
#include <limits>

#include "bench/subject/subject_measurement.hpp"
#include "bench/subject/subject_series.hpp"
#include "bench/timing/statistics.hpp"

namespace zerocts {
namespace {

Parameters ParametersOf(const BenchMember& member, const BenchSize& size) {
  return {{"model", size.model.name},
          {"ranks", member.ranks},
          {"stage", member.arrangement.stage},
          {"work", size.trains ? "training" : "given gradients"},
          {"precision", ToString(member.arrangement.precision)},
          {"plan", member.arrangement.plan.empty() ? "own" : member.arrangement.plan},
          {"overlap", ToString(member.arrangement.overlap)},
          {"offload", ToString(member.arrangement.offload)}};
}

Parameters With(Parameters parameters, const char* key, const std::string& value) {
  parameters[key] = value;
  return parameters;
}

/// Ranks of one machine share its clock.
std::vector<RecordedSpan> TimelineOf(const std::vector<RankSpan>& spans) {
  int64_t begin = std::numeric_limits<int64_t>::max();
  for (const auto& [rank, span] : spans) begin = std::min(begin, span.begin_ns);
  const auto seconds = [&](int64_t ns) { return 1e-9 * static_cast<double>(ns - begin); };
  std::vector<RecordedSpan> timeline;
  for (const auto& [rank, span] : spans)
    timeline.push_back({rank, span.name, span.index, seconds(span.begin_ns), seconds(span.end_ns)});
  return timeline;
}

void AddTimes(const BenchMember& member, const Parameters& parameters, const std::vector<double>& bound,
              Figures& figures) {
  BenchRecord& total = figures.AddTime("step_time", parameters, SeriesOf(member, &StepSeconds::total));
  if (!bound.empty()) total.bound = RecordedBound{"memory", MedianOf(bound)};
  if (member.rounds.empty()) return;
  total.timeline = TimelineOf(member.rounds.back().last_step);
  figures.AddTime("accumulate_call_time", parameters, SeriesOf(member, &StepSeconds::accumulate));
  figures.AddTime("step_call_time", parameters, SeriesOf(member, &StepSeconds::step));
  std::vector<double> cpu = SeriesOf(member, &StepSeconds::cpu);
  for (double& seconds : cpu) seconds /= member.ranks;
  figures.AddTime("cpu_time_of_a_rank", parameters, cpu);
}

void AddTraining(const BenchMember& member, BenchSize size, const Parameters& parameters, Figures& figures) {
  size.ranks = member.ranks;
  const double seconds = MedianOf(SeriesOf(member, &StepSeconds::total));
  figures.Add("tokens_per_second", parameters, "token/s", Direction::kBigger,
              static_cast<double>(TokensPerStep(size)) / seconds);
  if (const std::optional<double> hidden = HiddenShareOf(member))
    figures.Add("hidden_share_of_collectives", parameters, "1", Direction::kBigger, *hidden);
}

void AddTraffic(const GroupMeasurement& round, const Parameters& parameters, Figures& figures) {
  for (const auto& [name, collective] : kCollectives) {
    const StepTraffic::Count& count = round.moved.*collective;
    const Parameters of_one = With(parameters, "collective", name);
    figures.AddCount("sent_bytes", of_one, "byte", static_cast<int64_t>(count.sent_bytes));
    figures.AddCount("collective_calls", of_one, "1", static_cast<int64_t>(count.calls));
  }
}

void AddMemory(const GroupMeasurement& round, const Parameters& parameters, Figures& figures) {
  for (const MemoryPoint& point : round.points) {
    const Parameters at = With(parameters, "point", point.point);
    const std::pair<const char*, uint64_t> parts[] = {{"weights", point.reported.parameter_bytes},
                                                      {"gradients", point.reported.gradient_bytes},
                                                      {"optimizer", point.reported.optimizer_bytes},
                                                      {"buffers", point.reported.buffer_bytes}};
    for (const auto& [part, bytes] : parts)
      figures.AddCount("memory_reported", With(at, "part", part), "byte", static_cast<int64_t>(bytes));
    figures.Add("memory_held", at, "byte", Direction::kSmaller, static_cast<double>(point.held_bytes));
    figures.Add("memory_peak", at, "byte", Direction::kSmaller, static_cast<double>(point.peak_bytes));
    if (point.heap_bytes)
      figures.Add("memory_heap", at, "byte", Direction::kSmaller, static_cast<double>(*point.heap_bytes));
  }
}

}  // namespace

void AddRecords(const std::vector<BenchMember>& members, const BenchSize& size, std::vector<BenchRecord>& records) {
  const std::vector<double>& bound = members.back().bound_seconds;
  for (const BenchMember& member : members) {
    if (member.subject == kBoundAsSubject && !member.error.empty()) continue;  // the machine failed, and no subject
    Figures figures(member.subject);
    const Parameters parameters = ParametersOf(member, size);
    if (!member.error.empty()) {
      figures.AddError("step_time", parameters, member.error);
    } else {
      AddTimes(member, parameters, member.rounds.empty() ? std::vector<double>{} : bound, figures);
      if (size.trains) AddTraining(member, size, parameters, figures);
      if (!member.rounds.empty()) AddMemory(member.rounds.front(), parameters, figures);
      if (const std::optional<double> gained = LeastGainOf(member))
        figures.Add("memory_gained_per_step", parameters, "byte", Direction::kSmaller, *gained);
      if (!member.rounds.empty() && member.rounds.front().counts_traffic)
        AddTraffic(member.rounds.front(), parameters, figures);
    }
    records.insert(records.end(), figures.records().begin(), figures.records().end());
  }
}

}  // namespace zerocts
