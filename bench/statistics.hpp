// What a series of noisy times says: the middle of it, and how far it spreads.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <vector>

namespace zerocts {

struct Spread {
  double least = 0, quarter = 0, median = 0, three_quarters = 0;
};

/// Of at least one value; between two neighbours in order by interpolation.
inline Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("a spread of no values: expected at least one repetition");
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {values.front(), at(0.25), at(0.5), at(0.75)};
}

inline double MedianOf(const std::vector<double>& values) { return SpreadOf(values).median; }

}  // namespace zerocts
