// What a rank's timeline says of one step.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/streams/timeline.hpp"

namespace zerocts {

using Spans = std::vector<engine::RecordedSpan>;

/// Seconds in spans of this name, one after the other or beside each other.
double SecondsIn(const Spans& spans, const std::string& name);

/// Where the time of a training step went; the first four add up to it.
struct StepParts {
  double forward = 0, backward = 0;
  double communication = 0;  // collectives were under way, beside no forward and no backward
  double rest = 0;           // the optimizer, the norm, everything else
  double hidden = 0;         // collectives were under way beside forward or backward
};

/// spans: of one rank, of one step that took so many seconds from its first forward on. Forwards and backwards come one
/// after the other; collectives may be under way at once.
StepParts PartsOf(const Spans& spans, double seconds);

}  // namespace zerocts
