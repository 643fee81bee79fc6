#include "bench/compare/compare_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "bench/compare/turns.hpp"
#include "bench/subject/subject_series.hpp"
#include "bench/timing/statistics.hpp"

namespace zerocts {
namespace {

/// One benchmark's pairs, and what both sides counted in the last one.
struct Series {
  std::vector<std::pair<double, double>> pairs, gained;  // seconds; bytes that a rank gained in each step
  GroupMeasurement first, second;
};

/// The steps of one side, each when it is its turn.
GroupMeasurement RunInTurns(BenchGroup& group, Turns& turns, Turns::Side side) {
  struct Leaving {
    Turns& turns;
    Turns::Side side;
    ~Leaving() { turns.Leave(side); }
  } const leaving{turns, side};
  turns.Await(side);
  return group.Run([&](const auto&) {
    turns.Pass(side);
    return true;
  });
}

/// A time of the first side, and how many times as long the second took for its step beside.
std::pair<double, double> PairOf(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<std::pair<double, double>> steps;
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) steps.emplace_back(first[i], second[i]);
  const double seconds = MedianOf(first);
  return {seconds, seconds * MiddleRatio(steps)};
}

/// Which side begins alternates, so that what is left behind hits both alike.
void TakePair(ComparedBenchmark& benchmark, Series& series) {
  using Side = Turns::Side;
  Turns turns(benchmark.first.size().steps, series.pairs.size() % 2 == 0 ? Side::kFirst : Side::kSecond);
  benchmark.first.Start();
  benchmark.second.Start();
  auto second = std::async(std::launch::async, [&] { return RunInTurns(benchmark.second, turns, Side::kSecond); });
  series.first = RunInTurns(benchmark.first, turns, Side::kFirst);
  series.second = second.get();
  benchmark.first.Stop();
  benchmark.second.Stop();
  series.pairs.push_back(PairOf(TotalSeconds(series.first), TotalSeconds(series.second)));
  if (series.first.gained && series.second.gained)
    series.gained.emplace_back(*series.first.gained, *series.second.gained);
}

/// Fewer pairs than the least say nothing, however alike they are.
ComparisonRow RowOf(const std::string& name, const Series& series, double confidence, const CompareSettings& settings) {
  std::vector<double> first, second;
  for (const auto& [a, b] : series.pairs) first.push_back(a), second.push_back(b);
  ComparisonRow row{name, "s", MedianOf(first), MedianOf(second), EstimateRatio(series.pairs, confidence)};
  row.pairs = static_cast<int>(series.pairs.size());
  for (const auto& [a, b] : series.pairs) row.ratios.push_back(b / a);
  row.verdict = VerdictOf(row.cost, settings.least_effect);
  if (row.pairs < settings.least_pairs) {
    row.verdict = ComparisonVerdict::kTooNoisy;
    row.remark = fmt::format("{}: {} pairs in {} s, expected at least {}; raise --budget", name, row.pairs,
                             settings.budget.count(), settings.least_pairs);
  }
  return row;
}

using Count = std::optional<uint64_t>;  // none: the side does not count it

void AddCount(std::vector<ComparisonRow>& rows, const std::string& name, const char* unit, Count a, Count b) {
  rows.push_back({.name = name, .unit = unit, .first = a, .second = b});
  if (a != b) rows.back().verdict = a ? ComparisonVerdict::kDifferent : ComparisonVerdict::kNew;
}

void AddCounts(std::vector<ComparisonRow>& rows, const std::string& name, const Series& series) {
  const auto of = [](const GroupMeasurement& side, uint64_t value) {
    return side.counts_traffic ? Count(value) : Count();
  };
  if (series.first.counts_traffic || series.second.counts_traffic) {
    for (const auto& [collective, count] : kCollectives) {
      const StepTraffic::Count &a = series.first.moved.*count, &b = series.second.moved.*count;
      AddCount(rows, fmt::format("{}: {} sent", name, collective), "byte", of(series.first, a.sent_bytes),
               of(series.second, b.sent_bytes));
      AddCount(rows, fmt::format("{}: {} calls", name, collective), "1", of(series.first, a.calls),
               of(series.second, b.calls));
    }
  }
  AddCount(rows, name + ": bytes that the subject says it holds", "byte", series.first.points.back().reported.total(),
           series.second.points.back().reported.total());
}

/// How much more the second gains in each step, pair by pair.
std::vector<double> MoreGained(const Series& series) {
  std::vector<double> more;
  for (const auto& [a, b] : series.gained) more.push_back(b - a);
  return more;
}

/// Does the second surely leak, or surely not?
bool IsLeakDecided(const Series& series, double least, double confidence) {
  const auto interval = MedianInterval(MoreGained(series), confidence);
  return !interval || interval->low >= least || interval->high < least;
}

/// Where the second leaks more than the first: a line of its own.
void AddLeak(std::vector<ComparisonRow>& rows, const ComparedBenchmark& benchmark, const Series& series,
             double confidence, const CompareSettings& settings) {
  std::vector<double> first, second;
  for (const auto& [a, b] : series.gained) first.push_back(a), second.push_back(b);
  const std::vector<double> more = MoreGained(series);
  if (more.empty() || std::ssize(series.pairs) < settings.least_pairs) return;
  const auto interval = MedianInterval(more, confidence);
  const double surely = interval ? interval->low : *std::ranges::min_element(more);
  if (surely < LeastLeak(benchmark.second.size())) return;
  rows.push_back({.name = benchmark.name + ": gained per step", .unit = "byte", .first = MedianOf(first)});
  rows.back().second = MedianOf(second);
  rows.back().verdict = ComparisonVerdict::kRegression;
  rows.back().remark = fmt::format("B LEAKS: against A, a rank of it holds more and more, {}",
                                   LeakInWords(MedianOf(more), benchmark.second.size()));
}

}  // namespace

std::vector<ComparisonRow> CompareInTurns(std::vector<ComparedBenchmark>& benchmarks, const CompareSettings& settings,
                                          const std::function<void(const std::string&)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const double confidence = ConfidenceOfEach(settings.confidence, static_cast<int>(benchmarks.size()));
  std::vector<Series> all(benchmarks.size());
  const auto row_of = [&](size_t i) { return RowOf(benchmarks[i].name, all[i], confidence, settings); };
  const auto is_spent = [&] { return spent() >= static_cast<double>(settings.budget.count()); };
  const auto is_enough = [&](size_t i) {
    if (std::ssize(all[i].pairs) < settings.least_pairs) return false;
    if (std::ssize(all[i].pairs) >= settings.most_pairs) return true;
    return IsDecided(row_of(i).cost, settings.least_effect) &&
           IsLeakDecided(all[i], LeastLeak(benchmarks[i].second.size()), confidence);
  };
  for (size_t undecided = benchmarks.size(); undecided > 0;) {
    undecided = 0;
    for (size_t i = 0; i < benchmarks.size(); ++i) {
      if (is_enough(i)) continue;
      ++undecided;
      if (is_spent() && !all[i].pairs.empty()) continue;
      TakePair(benchmarks[i], all[i]);
    }
    progress(fmt::format("{:.0f} s of {}: {} of {} benchmarks undecided", spent(), settings.budget.count(), undecided,
                         benchmarks.size()));
    if (is_spent()) break;
  }
  std::vector<ComparisonRow> rows;
  for (size_t i = 0; i < benchmarks.size(); ++i) rows.push_back(row_of(i));
  for (size_t i = 0; i < benchmarks.size(); ++i) AddLeak(rows, benchmarks[i], all[i], confidence, settings);
  for (size_t i = 0; i < benchmarks.size(); ++i) AddCounts(rows, benchmarks[i].name, all[i]);
  return rows;
}

}  // namespace zerocts
