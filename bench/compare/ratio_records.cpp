#include "bench/compare/ratio_records.hpp"

#include "bench/record/figures.hpp"

namespace zerocts {

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

}  // namespace zerocts
