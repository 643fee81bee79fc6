#include "bench/engine/spans.hpp"

#include "bench/timing/moments.hpp"

namespace zerocts {
namespace {

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
  const Moments collectives = MomentsOf(spans, {"reduce_scatter", "all_gather", "all_reduce"});
  const int64_t hidden = SharedNs(collectives, MomentsOf(spans, {"forward", "backward"}));
  StepParts parts;
  parts.forward = SecondsIn(spans, "forward");
  parts.backward = SecondsIn(spans, "backward");
  parts.hidden = Seconds(hidden);
  parts.communication = Seconds(LengthNs(collectives) - hidden);
  parts.rest = seconds - parts.forward - parts.backward - parts.communication;
  return parts;
}

}  // namespace zerocts
