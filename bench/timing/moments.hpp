// Moments at which something lasted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace zerocts {

/// Intervals of ns, begin and end, apart and ascending.
using Moments = std::vector<std::pair<int64_t, int64_t>>;

/// Those at which at least one of the intervals lasted, which may overlap.
inline Moments Joined(std::vector<std::pair<int64_t, int64_t>> intervals) {
  std::ranges::sort(intervals);
  Moments apart;
  for (const auto& [begin, end] : intervals) {
    if (apart.empty() || apart.back().second < begin) apart.emplace_back(begin, end);
    apart.back().second = std::max(apart.back().second, end);
  }
  return apart;
}

/// Those of spans with one of these names; a span has a name, begin_ns and end_ns.
template <typename Spans>
Moments MomentsOf(Spans&& spans, std::initializer_list<std::string_view> names) {
  std::vector<std::pair<int64_t, int64_t>> intervals;
  for (auto&& span : spans) {
    if (std::ranges::find(names, span.name) != names.end()) intervals.emplace_back(span.begin_ns, span.end_ns);
  }
  return Joined(std::move(intervals));
}
inline int64_t LengthNs(const Moments& moments) {
  int64_t ns = 0;
  for (const auto& [begin, end] : moments) ns += end - begin;
  return ns;
}

/// How long both lasted at once.
inline int64_t SharedNs(const Moments& a, const Moments& b) {
  int64_t ns = 0;
  for (const auto& one : a) {
    for (const auto& other : b) {
      ns += std::max<int64_t>(std::min(one.second, other.second) - std::max(one.first, other.first), 0);
    }
  }
  return ns;
}

}  // namespace zerocts
