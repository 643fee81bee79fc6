#include "bench/compare/comparison_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zerocts {
namespace {

bool IsEqualCount(const ComparisonRow& row) { return row.pairs == 0 && row.verdict == ComparisonVerdict::kSame; }

std::vector<ComparisonRow> RowsShown(const std::vector<ComparisonRow>& rows) {
  std::vector<ComparisonRow> shown;
  std::ranges::copy_if(rows, std::back_inserter(shown), [](const ComparisonRow& row) { return !IsEqualCount(row); });
  return shown;
}

std::string Percent(double ratio) { return fmt::format("{:+.2f} %", 100 * (ratio - 1)); }

std::string ChangeOf(const ComparisonRow& row) { return row.pairs == 0 ? "" : Percent(row.cost.ratio); }

std::string IntervalOf(const ComparisonRow& row) {
  return row.pairs == 0 ? "" : fmt::format("{} .. {}", Percent(row.cost.interval.low), Percent(row.cost.interval.high));
}

std::string ValueOf(const ComparisonRow& row, std::optional<double> value) {
  if (!value) return "none";
  return row.unit == "s" ? fmt::format("{:.4f} ms", 1e3 * *value) : fmt::format("{:.10g} {}", *value, row.unit);
}

std::string EqualCounts(const std::vector<ComparisonRow>& rows) {
  const auto equal = std::ranges::count_if(rows, IsEqualCount);
  return equal == 0 ? "" : fmt::format("{} figures of bytes and counts are equal", equal);
}

std::string RemarksOf(const std::vector<ComparisonRow>& rows) {
  std::string remarks;
  for (const ComparisonRow& row : rows) remarks += row.remark.empty() ? "" : "\n" + row.remark + "\n";
  return remarks;
}

}  // namespace

std::string TextOf(const std::vector<ComparisonRow>& rows, const ComparisonTitles& titles) {
  std::string text = fmt::format("A: {}\nB: {}\n{}\n\n{:<44} {:>15} {:>15} {:>10} {:>24} {:>6} {}\n", titles.first,
                                 titles.second, titles.how, "", "A", "B", "B costs", "interval", "pairs", "verdict");
  for (const ComparisonRow& row : RowsShown(rows)) {
    text += fmt::format("{:<44} {:>15} {:>15} {:>10} {:>24} {:>6} {}\n", row.name, ValueOf(row, row.first),
                        ValueOf(row, row.second), ChangeOf(row), IntervalOf(row), row.pairs, ToString(row.verdict));
  }
  const std::string equal = EqualCounts(rows);
  return (equal.empty() ? text : text + equal + "\n") + RemarksOf(rows);
}

std::string MarkdownOf(const std::vector<ComparisonRow>& rows, const ComparisonTitles& titles) {
  std::string text = fmt::format(
      "A: `{}`, B: `{}`; {}\n\n| benchmark | A | B | B costs | interval | pairs | verdict |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
      titles.first, titles.second, titles.how);
  for (const ComparisonRow& row : RowsShown(rows)) {
    const bool is_bad = ExitCodeOf({ComparisonVerdict::kSame, row.verdict}) != 0;
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.name, ValueOf(row, row.first),
                        ValueOf(row, row.second), ChangeOf(row), IntervalOf(row), row.pairs,
                        is_bad ? fmt::format("**{}**", ToString(row.verdict)) : ToString(row.verdict));
  }
  const std::string equal = EqualCounts(rows);
  return (equal.empty() ? text : text + "\n" + equal + "\n") + RemarksOf(rows);
}

}  // namespace zerocts
