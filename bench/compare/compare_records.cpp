#include "bench/compare/compare_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/record/figures.hpp"
#include "bench/timing/statistics.hpp"
#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

using Key = std::pair<std::string, std::string>;  // subject, name
using Last = std::map<Key, const BenchRecord*>;
using Pair = std::pair<const BenchRecord*, const BenchRecord*>;

Last LastOfEach(const std::vector<BenchRecord>& records) {
  Last last;
  for (const BenchRecord& record : records) last[{record.subject, record.name}] = &record;
  return last;
}

std::vector<Pair> SharedFigures(const Last& first, const Last& second) {
  std::vector<Pair> shared;
  for (const auto& [key, record] : first) {
    if (second.contains(key)) shared.emplace_back(record, second.at(key));
  }
  if (!shared.empty()) return shared;
  throw UsageError(
      fmt::format("expected figures that both files have, got none (the first has {}, the second {}); compare runs of "
                  "the same benchmarks",
                  first.begin()->second->name, second.begin()->second->name));
}

void ExpectNoError(const BenchRecord& record) {
  if (record.error.empty()) return;
  throw UsageError(fmt::format("{} of {}: expected a figure, got an error: {}; measure it again", record.name,
                               record.subject, record.error));
}

void ExpectSameFigure(const BenchRecord& a, const BenchRecord& b) {
  const auto said = [](const BenchRecord& record) { return record.unit + ", " + ToString(record.direction); };
  if (said(a) == said(b)) return;
  throw UsageError(
      fmt::format("{} of {}: expected one unit and direction in both files, got \"{}\" and \"{}\"; compare runs of the "
                  "same benchmarks",
                  a.name, a.subject, said(a), said(b)));
}

/// A ratio is of what is above 0.
void ExpectPositive(const BenchRecord& record) {
  if (*std::ranges::min_element(record.samples) > 0) return;
  throw UsageError(
      fmt::format("{} of {}: expected samples above 0, got one of 0; measure it again", record.name, record.subject));
}

void ExpectSameMachine(const BenchRecord& a, const BenchRecord& b) {
  if (a.machine.fingerprint == b.machine.fingerprint) return;
  throw UsageError(
      fmt::format("{}: expected times of one machine, got {} ({}) and {} ({}); measure both on one machine, or keep "
                  "only bytes and counts",
                  a.name, a.machine.fingerprint, a.machine.cpu, b.machine.fingerprint, b.machine.cpu));
}

/// Which subject became slower? The machine itself is none.
bool CanCompare(const BenchRecord& a, const BenchRecord& b) {
  return a.subject != kBoundAsSubject && a.direction != Direction::kEqual && !a.oversubscribed && !b.oversubscribed &&
         a.samples.size() > 1 && b.samples.size() > 1;
}

std::vector<std::pair<double, double>> PairsOf(const BenchRecord& a, const BenchRecord& b) {
  std::vector<std::pair<double, double>> pairs;
  for (size_t i = 0; i < std::min(a.samples.size(), b.samples.size()); ++i) {
    pairs.emplace_back(a.samples[i], b.samples[i]);
    if (a.direction == Direction::kBigger) std::swap(pairs.back().first, pairs.back().second);
  }
  return pairs;
}

std::string NameOf(const BenchRecord& record) { return record.subject + "/" + record.name; }

ComparisonRow RowOfCounts(const Pair& pair) {
  ComparisonRow row{.name = NameOf(*pair.first),
                    .unit = pair.first->unit,
                    .first = *pair.first->value,
                    .second = *pair.second->value};
  if (row.first != row.second) row.verdict = ComparisonVerdict::kDifferent;
  return row;
}

ComparisonRow RowOfTimes(const Pair& pair, double confidence) {
  const auto pairs = PairsOf(*pair.first, *pair.second);
  ComparisonRow row{.name = NameOf(*pair.first),
                    .unit = pair.first->unit,
                    .first = *pair.first->value,
                    .second = *pair.second->value,
                    .cost = EstimateRatio(pairs, confidence)};
  row.pairs = static_cast<int>(pairs.size());
  row.verdict = ComparisonVerdict::kNotPaired;
  return row;
}

/// Counts that only one file has.
void AddUnshared(const Last& first, const Last& second, std::vector<ComparisonRow>& rows) {
  const auto add = [&](const Last& in, const Last& not_in, auto value, ComparisonVerdict verdict) {
    for (const auto& [key, record] : in) {
      if (record->direction != Direction::kEqual || not_in.contains(key)) continue;
      ExpectNoError(*record);
      rows.push_back({.name = NameOf(*record), .unit = record->unit});
      rows.back().*value = record->value;
      rows.back().verdict = verdict;
    }
  };
  add(first, second, &ComparisonRow::first, ComparisonVerdict::kDifferent);
  add(second, first, &ComparisonRow::second, ComparisonVerdict::kNew);
}

}  // namespace

std::vector<BenchRecord> RatioRecords(const std::vector<ComparisonRow>& rows, const std::string& first,
                                      const std::string& second, double confidence) {
  Figures figures(second);
  for (const ComparisonRow& row : rows) {
    if (row.pairs == 0) continue;
    BenchRecord& record = figures.Add("ratio/" + row.name, {{"than", first}}, "1", Direction::kSmaller, row.cost.ratio);
    record.samples = row.ratios;
    record.interval = RecordedInterval{row.cost.interval.low, row.cost.interval.high, confidence};
  }
  return figures.records();
}

std::vector<ComparisonRow> CompareRecords(const std::vector<BenchRecord>& first, const std::vector<BenchRecord>& second,
                                          double confidence) {
  const Last in_first = LastOfEach(first), in_second = LastOfEach(second);
  std::vector<Pair> counts, times;
  for (const auto& [a, b] : SharedFigures(in_first, in_second)) {
    ExpectNoError(*a);
    ExpectNoError(*b);
    ExpectSameFigure(*a, *b);
    if (a->direction == Direction::kEqual) counts.emplace_back(a, b);
    if (CanCompare(*a, *b)) times.emplace_back(a, b);
  }
  for (const auto& [a, b] : times) {
    ExpectSameMachine(*a, *b);
    ExpectPositive(*a);
    ExpectPositive(*b);
  }
  if (counts.empty() && times.empty())
    throw UsageError("expected counts, or times with samples and without oversubscription, in both files; got neither");
  std::vector<ComparisonRow> rows;
  const double of_each = ConfidenceOfEach(confidence, static_cast<int>(times.size()));
  for (const Pair& pair : times) rows.push_back(RowOfTimes(pair, of_each));
  for (const Pair& pair : counts) rows.push_back(RowOfCounts(pair));
  AddUnshared(in_first, in_second, rows);
  return rows;
}

}  // namespace zerocts
