#include "bench/timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reference/numerics/counter_rng.hpp"

namespace zerocts {
namespace {

constexpr uint64_t kResampleSeed = 20261125;

/// The value at `part` of the way from the first to the last of sorted values.
double At(const std::vector<double>& sorted, double part) {
  const double position = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// P(at most `k` heads in `n` throws of a fair coin).
double AtMostHeads(int k, int n) {
  double sum = 0;
  for (int i = 0; i <= k; ++i) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) - n * std::log(2.0));
  }
  return sum;
}

double LogRatio(const std::pair<double, double>& pair) {
  if (!(pair.first > 0) || !(pair.second > 0) || !std::isfinite(pair.first) || !std::isfinite(pair.second)) {
    throw std::invalid_argument("a ratio: expected finite values above 0");
  }
  return std::log(pair.second / pair.first);
}

std::vector<double> LogRatiosOf(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<double> logs;
  for (const auto& pair : pairs) logs.push_back(LogRatio(pair));
  return logs;
}

}  // namespace

Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("a spread of no values: expected at least one repetition");
  std::sort(values.begin(), values.end());
  return {values.front(), At(values, 0.25), At(values, 0.5), At(values, 0.75)};
}

double MedianOf(const std::vector<double>& values) { return SpreadOf(values).median; }

std::optional<Range> MedianInterval(std::vector<double> values, double confidence) {
  const auto n = static_cast<int>(values.size());
  const double outside = (1 - confidence) / 2;  // on each side
  int skipped = -1;                             // values left out at each end, one too few
  while (skipped + 1 < n / 2 && AtMostHeads(skipped + 1, n) <= outside) ++skipped;
  if (skipped < 0) return std::nullopt;
  std::sort(values.begin(), values.end());
  return Range{values[skipped], values[n - 1 - skipped]};
}

double MiddleHalfMean(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("a mean of no values: expected at least one repetition");
  std::sort(values.begin(), values.end());
  const double count = static_cast<double>(values.size()), begin = count / 4, end = count - begin;
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto position = static_cast<double>(i);
    sum += values[i] * std::max(0.0, std::min(position + 1, end) - std::max(position, begin));
  }
  return sum / (end - begin);
}

double MiddleRatio(const std::vector<std::pair<double, double>>& pairs) {
  return std::exp(MiddleHalfMean(LogRatiosOf(pairs)));
}

RatioEstimate EstimateRatio(const std::vector<std::pair<double, double>>& pairs, double confidence, int resamples) {
  const std::vector<double> logs = LogRatiosOf(pairs);
  std::vector<double> means, drawn(pairs.size());
  const double ratio = MiddleRatio(pairs);
  for (int resample = 0; resample < resamples; ++resample) {
    for (size_t i = 0; i < drawn.size(); ++i)
      drawn[i] = logs[RandomBelow(kResampleSeed, static_cast<uint64_t>(resample), i, logs.size())];
    means.push_back(MiddleHalfMean(drawn));
  }
  std::sort(means.begin(), means.end());
  const double outside = (1 - confidence) / 2;
  return {ratio, {std::exp(At(means, outside)), std::exp(At(means, 1 - outside))}};
}

double ConfidenceOfEach(double confidence, int count) { return 1 - (1 - confidence) / std::max(count, 1); }

}  // namespace zerocts
