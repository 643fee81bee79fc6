// What noisy figures say: the middle of a series, how far it spreads, and how sure that middle is.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace zerocts {

struct Spread {
  double least = 0, quarter = 0, median = 0, three_quarters = 0;
};

/// Quantiles of at least one value; between two neighbours in order by interpolation. Throws std::invalid_argument.
Spread SpreadOf(std::vector<double> values);
double MedianOf(const std::vector<double>& values);

struct Range {
  double low = 0, high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Where the median of what the values are drawn from lies: two of the values in order, chosen by the binomial
/// distribution, so that nothing is assumed of the noise. Nothing: too few values for this confidence (6 for 0.95).
std::optional<Range> MedianInterval(std::vector<double> values, double confidence);

/// The mean of the middle half in order: values of the outer quarters count for nothing, those at their border in part.
double MiddleHalfMean(std::vector<double> values);

/// How many times as large the second of each pair is: e to the middle-half mean of ln(second / first). Throws
/// std::invalid_argument for no pairs and for values that are not above 0.
double MiddleRatio(const std::vector<std::pair<double, double>>& pairs);

struct RatioEstimate {
  double ratio = 1;
  Range interval;
};

/// MiddleRatio, and the percentile interval of the same over resamples of the pairs. Deterministic. Throws as it does.
RatioEstimate EstimateRatio(const std::vector<std::pair<double, double>>& pairs, double confidence,
                            int resamples = 4000);

/// The confidence that each of `count` intervals needs, so that all hold at once with `confidence` (Bonferroni).
double ConfidenceOfEach(double confidence, int count);

}  // namespace zerocts
