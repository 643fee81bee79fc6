#include "bench/compare/compare_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/subject/subject_series.hpp"
#include "bench/timing/statistics.hpp"

namespace zerocts {
namespace {

/// One benchmark's pairs, and what both sides counted in the last one.
struct Series {
  std::vector<std::pair<double, double>> pairs;
  GroupMeasurement first, second;
};

/// Who goes first alternates, so that what the first leaves behind hits both alike.
void TakePair(ComparedBenchmark& benchmark, Series& series) {
  if (series.pairs.size() % 2 == 0) {
    series.first = benchmark.first.Run();
    series.second = benchmark.second.Run();
  } else {
    series.second = benchmark.second.Run();
    series.first = benchmark.first.Run();
  }
  series.pairs.emplace_back(MedianOf(TotalSeconds(series.first)), MedianOf(TotalSeconds(series.second)));
}

ComparisonRow RowOf(const std::string& name, const Series& series, double confidence, double least_effect) {
  std::vector<double> first, second;
  for (const auto& [a, b] : series.pairs) first.push_back(a), second.push_back(b);
  ComparisonRow row{name, "s", MedianOf(first), MedianOf(second), EstimateRatio(series.pairs, confidence)};
  row.pairs = static_cast<int>(series.pairs.size());
  row.verdict = VerdictOf(row.cost, least_effect);
  return row;
}

void AddCount(std::vector<ComparisonRow>& rows, const std::string& name, const char* unit, uint64_t a, uint64_t b) {
  rows.push_back({.name = name, .unit = unit, .first = static_cast<double>(a), .second = static_cast<double>(b)});
  if (a != b) rows.back().verdict = ComparisonVerdict::kDifferent;
}

void AddCounts(std::vector<ComparisonRow>& rows, const std::string& name, const Series& series) {
  if (series.first.counts_traffic && series.second.counts_traffic) {
    for (const auto& [collective, count] : kCollectives) {
      const StepTraffic::Count &a = series.first.moved.*count, &b = series.second.moved.*count;
      AddCount(rows, fmt::format("{}: {} sent", name, collective), "byte", a.sent_bytes, b.sent_bytes);
      AddCount(rows, fmt::format("{}: {} calls", name, collective), "1", a.calls, b.calls);
    }
  }
  AddCount(rows, name + ": bytes that the subject says it holds", "byte", series.first.points.back().reported.total(),
           series.second.points.back().reported.total());
}

}  // namespace

std::vector<ComparisonRow> CompareInTurns(std::vector<ComparedBenchmark>& benchmarks, const CompareSettings& settings) {
  const auto until = std::chrono::steady_clock::now() + settings.budget;
  const double confidence = ConfidenceOfEach(settings.confidence, static_cast<int>(benchmarks.size()));
  std::vector<Series> all(benchmarks.size());
  const auto row_of = [&](size_t i) { return RowOf(benchmarks[i].name, all[i], confidence, settings.least_effect); };
  const auto is_enough = [&](size_t i) {
    const auto pairs = static_cast<int>(all[i].pairs.size());
    if (pairs < settings.least_pairs) return false;
    return pairs >= settings.most_pairs || IsDecided(row_of(i).cost, settings.least_effect);
  };
  for (bool all_enough = false; !all_enough;) {
    all_enough = true;
    for (size_t i = 0; i < benchmarks.size(); ++i) {
      if (is_enough(i)) continue;
      all_enough = false;
      TakePair(benchmarks[i], all[i]);
    }
    const bool has_least = std::ranges::all_of(
        all, [&](const Series& s) { return static_cast<int>(s.pairs.size()) >= settings.least_pairs; });
    if (has_least && std::chrono::steady_clock::now() >= until) break;
  }
  std::vector<ComparisonRow> rows;
  for (size_t i = 0; i < benchmarks.size(); ++i) rows.push_back(row_of(i));
  for (size_t i = 0; i < benchmarks.size(); ++i) AddCounts(rows, benchmarks[i].name, all[i]);
  return rows;
}

}  // namespace zerocts
