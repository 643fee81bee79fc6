// What `compare` found, for people and for pull requests.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/verdict.hpp"

namespace zerocts {

struct ComparisonRow {
  std::string name, unit;
  std::optional<double> first, second;  // medians, or counts; none: that side has no such figure
  RatioEstimate cost;                   // of the second to the first; more is worse. Not of counts
  int pairs = 0;                        // 0: a count
  ComparisonVerdict verdict = ComparisonVerdict::kSame;
  std::vector<double> ratios{};  // of each pair
  std::string remark{};          // a sentence below the table; "": none
};

struct ComparisonTitles {
  std::string first, second, how;  // "paired in turns, ..": how figures were taken and what is corrected
};

/// Counts that are equal are summed up in one line.
std::string TextOf(const std::vector<ComparisonRow>& rows, const ComparisonTitles& titles);
std::string MarkdownOf(const std::vector<ComparisonRow>& rows, const ComparisonTitles& titles);

}  // namespace zerocts
