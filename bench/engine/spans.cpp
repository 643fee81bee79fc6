#include "bench/engine/spans.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace zerocts {
namespace {

using Interval = std::pair<int64_t, int64_t>;  // ns

/// The moments at which at least one span of these names lasted: apart and ascending.
std::vector<Interval> UnionOf(const Spans& spans, const std::vector<std::string_view>& names) {
  std::vector<Interval> all, apart;
  for (const auto& span : spans) {
    if (std::find(names.begin(), names.end(), span.name) != names.end()) all.emplace_back(span.begin_ns, span.end_ns);
  }
  std::sort(all.begin(), all.end());
  for (const Interval& interval : all) {
    if (apart.empty() || apart.back().second < interval.first) apart.push_back(interval);
    apart.back().second = std::max(apart.back().second, interval.second);
  }
  return apart;
}

int64_t SharedNs(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  int64_t ns = 0;
  for (const Interval& one : a) {
    for (const Interval& other : b) {
      ns += std::max<int64_t>(std::min(one.second, other.second) - std::max(one.first, other.first), 0);
    }
  }
  return ns;
}

double Seconds(int64_t ns) { return 1e-9 * static_cast<double>(ns); }

}  // namespace

double SecondsIn(const Spans& spans, const std::string& name) {
  int64_t ns = 0;
  for (const auto& span : spans) {
    if (span.name == name) ns += span.end_ns - span.begin_ns;
  }
  return Seconds(ns);
}

StepParts PartsOf(const Spans& spans, double seconds) {
  const auto collectives = UnionOf(spans, {"reduce_scatter", "all_gather", "all_reduce"});
  const int64_t hidden = SharedNs(collectives, UnionOf(spans, {"forward", "backward"}));
  StepParts parts;
  parts.forward = SecondsIn(spans, "forward");
  parts.backward = SecondsIn(spans, "backward");
  parts.hidden = Seconds(hidden);
  parts.communication = Seconds(SharedNs(collectives, collectives) - hidden);
  parts.rest = seconds - parts.forward - parts.backward - parts.communication;
  return parts;
}

}  // namespace zerocts
