#include "conformance/check/overlap.hpp"

#include <fmt/format.h>

namespace zerocts {
namespace {

bool IsCollective(const TimelineSpan& span) {
  return span.name == "reduce_scatter" || span.name == "all_gather" || span.name == "all_reduce";
}
bool IsCompute(const TimelineSpan& span) { return span.name == "forward" || span.name == "backward"; }

bool AtOnce(const TimelineSpan& a, const TimelineSpan& b) {
  return a.step == b.step && a.begin_ns < b.end_ns && b.begin_ns < a.end_ns;
}

}  // namespace

std::optional<Finding> CheckOverlap(const Case& c, const std::vector<RankObservation>& ranks, Evidence& evidence) {
  evidence.Add(Witness::kSubject);
  if (c.world_size() == 1) return std::nullopt;
  int64_t collectives = 0, computations = 0;
  for (const RankObservation& rank : ranks) {
    for (const TimelineSpan& collective : rank.timeline) {
      computations += IsCompute(collective);
      if (!IsCollective(collective)) continue;
      ++collectives;
      for (const TimelineSpan& compute : rank.timeline) {
        if (IsCompute(compute) && AtOnce(collective, compute)) return std::nullopt;
      }
    }
  }
  return Finding{
      fmt::format("none of {} collectives was under way while its rank computed one of {} forwards and backwards, "
                  "although overlap was asked for",
                  collectives, computations),
      std::nullopt};
}

}  // namespace zerocts
