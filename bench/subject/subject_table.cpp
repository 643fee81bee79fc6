// The lines that `zerocts bench` prints.
#include <fmt/format.h>

#include <algorithm>

#include "bench/subject/subject_measurement.hpp"
#include "bench/subject/subject_series.hpp"
#include "bench/timing/statistics.hpp"

namespace zerocts {
namespace {

constexpr double kConfidence = 0.95;

std::string Milliseconds(const std::vector<double>& seconds) { return fmt::format("{:.3f}", 1e3 * MedianOf(seconds)); }

std::string IntervalOf(const std::vector<double>& seconds) {
  const auto range = MedianInterval(seconds, kConfidence);
  return range ? fmt::format("{:.3f}..{:.3f}", 1e3 * range->low, 1e3 * range->high) : "too few";
}

int64_t SubjectsIn(const std::vector<BenchMember>& members) {
  return std::ranges::count_if(members, &BenchMember::is_subject);
}

std::string Megabytes(uint64_t bytes) { return fmt::format("{:.3f}", 1e-6 * static_cast<double>(bytes)); }

std::string TimeLine(const BenchMember& member, double first) {
  const std::vector<double> total = SeriesOf(member, &StepSeconds::total);
  std::string line = fmt::format("{:<34} {:>5} {:>9} {:>19} {:>10.3f}", member.label, member.ranks, Milliseconds(total),
                                 IntervalOf(total), first / MedianOf(total));
  if (member.rounds.empty()) return line + "\n";
  const GroupMeasurement& last = member.rounds.back();
  line += fmt::format(" {:>10} {:>9} {:>13.3f}", Milliseconds(SeriesOf(member, &StepSeconds::accumulate)),
                      Milliseconds(SeriesOf(member, &StepSeconds::step)),
                      1e3 * MedianOf(SeriesOf(member, &StepSeconds::cpu)) / member.ranks);
  if (!last.counts_traffic) return line + fmt::format(" {:>10} {:>6}\n", "not given", "");
  const StepTraffic::Count sum = SumOf(last.moved);
  return line + fmt::format(" {:>10} {:>6}\n", Megabytes(sum.sent_bytes), sum.calls);
}

std::string TokensLine(const BenchMember& member, BenchSize size) {
  size.ranks = member.ranks;
  const double seconds = MedianOf(SeriesOf(member, &StepSeconds::total));
  std::string line = fmt::format("{:<34} {:>5} {:>9.0f} tokens per second", member.label, member.ranks,
                                 static_cast<double>(TokensPerStep(size)) / seconds);
  const std::optional<double> hidden = HiddenShareOf(member);
  if (hidden) line += fmt::format("; {:.0f} % of collectives' time beside forward and backward", 100 * *hidden);
  return line + "\n";
}

std::string MemoryLines(const BenchMember& member) {
  std::string lines;
  for (const MemoryPoint& point : member.rounds.front().points) {
    const MemoryReading& r = point.reported;
    lines += fmt::format("{:<34} {:<12}", lines.empty() ? member.label : "", point.point);
    for (const uint64_t bytes :
         {r.parameter_bytes, r.gradient_bytes, r.optimizer_bytes, r.buffer_bytes,
          point.held_bytes - std::min(point.held_bytes, r.total()), point.held_bytes, point.peak_bytes})
      lines += fmt::format(" {:>10}", Megabytes(bytes));
    lines += fmt::format(" {:>10}\n", point.heap_bytes ? Megabytes(*point.heap_bytes) : "not given");
  }
  return lines;
}

std::string LeakLine(const BenchMember& member, BenchSize size) {
  size.ranks = member.ranks;
  const double gained = LeastGainOf(member).value_or(0);
  if (gained < LeastLeak(size)) return "";
  return fmt::format("{}: LEAKS: a rank holds more and more, {}\n", member.label, LeakInWords(gained, size));
}

}  // namespace

std::string TableOf(const std::vector<BenchMember>& members, const BenchSize& size) {
  std::string table = fmt::format("{:<34} {:>5} {:>9} {:>19} {:>10} {:>10} {:>9} {:>13} {:>10} {:>6}\n", "", "ranks",
                                  "total ms", "95 %", SubjectsIn(members) > 1 ? "first/it" : "subject/it", "accumulate",
                                  "step", "cpu of a rank", "MB sent", "calls");
  const bool measured = members.front().error.empty();
  const double first = measured ? MedianOf(SeriesOf(members.front(), &StepSeconds::total)) : 0;
  for (const BenchMember& member : members) {
    const char* cannot = member.subject == kBoundAsSubject ? "" : "cannot: ";
    table += member.error.empty()
                 ? TimeLine(member, first)
                 : fmt::format("{:<34} {:>5} {}{}\n", member.label, member.ranks, cannot, member.error);
  }
  for (const BenchMember& member : members) {
    if (size.trains && member.error.empty()) table += TokensLine(member, size);
  }
  table += fmt::format("\n{:<34} {:<12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
                       "MB of the rank that held most", "", "weights", "gradients", "optimizer", "buffers", "other",
                       "held", "peak", "heap");
  for (const BenchMember& member : members) {
    if (member.error.empty() && !member.rounds.empty()) table += MemoryLines(member);
  }
  for (const BenchMember& member : members) {
    if (member.error.empty()) table += LeakLine(member, size);
  }
  return table;
}

}  // namespace zerocts
