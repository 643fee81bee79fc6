#include "bench/timing/moments.hpp"

#include <algorithm>

namespace zerocts {

Moments Joined(std::vector<std::pair<int64_t, int64_t>> intervals) {
  std::ranges::sort(intervals);
  Moments apart;
  for (const auto& [begin, end] : intervals) {
    if (apart.empty() || apart.back().second < begin) apart.emplace_back(begin, end);
    apart.back().second = std::max(apart.back().second, end);
  }
  return apart;
}

int64_t LengthNs(const Moments& moments) {
  int64_t ns = 0;
  for (const auto& [begin, end] : moments) ns += end - begin;
  return ns;
}

int64_t SharedNs(const Moments& a, const Moments& b) {
  int64_t ns = 0;
  for (const auto& one : a) {
    for (const auto& other : b) {
      ns += std::max<int64_t>(std::min(one.second, other.second) - std::max(one.first, other.first), 0);
    }
  }
  return ns;
}

}  // namespace zerocts
