#include "bench/spans.hpp"

#include <algorithm>
#include <string_view>

namespace zerocts {
namespace {

bool IsComputation(const RecordedSpan& span) {
  const std::string_view name = span.name;
  return name == "forward" || name == "backward";
}

bool IsCollective(const RecordedSpan& span) {
  const std::string_view name = span.name;
  return name == "reduce_scatter" || name == "all_gather" || name == "all_reduce";
}

double Seconds(int64_t ns) { return 1e-9 * static_cast<double>(ns); }

int64_t SharedNs(const RecordedSpan& a, const RecordedSpan& b) {
  return std::max<int64_t>(std::min(a.end_ns, b.end_ns) - std::max(a.begin_ns, b.begin_ns), 0);
}

}  // namespace

double SecondsIn(const std::vector<RecordedSpan>& spans, const std::string& name) {
  int64_t ns = 0;
  for (const RecordedSpan& span : spans) {
    if (span.name == name) ns += span.end_ns - span.begin_ns;
  }
  return Seconds(ns);
}

StepParts PartsOf(const std::vector<RecordedSpan>& spans, double seconds) {
  int64_t collectives = 0, hidden = 0;
  for (const RecordedSpan& collective : spans) {
    if (!IsCollective(collective)) continue;
    collectives += collective.end_ns - collective.begin_ns;
    for (const RecordedSpan& beside : spans) {
      if (IsComputation(beside)) hidden += SharedNs(collective, beside);
    }
  }
  StepParts parts;
  parts.forward = SecondsIn(spans, "forward");
  parts.backward = SecondsIn(spans, "backward");
  parts.hidden = Seconds(hidden);
  parts.communication = Seconds(collectives - hidden);
  parts.rest = seconds - parts.forward - parts.backward - parts.communication;
  return parts;
}

}  // namespace zerocts
