// What a rank's timeline says of one step.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/timeline.hpp"

namespace zerocts {

/// Seconds in spans of this name, one after the other or beside each other.
double SecondsIn(const std::vector<RecordedSpan>& spans, const std::string& name);

/// Where the time of a training step went; the first four add up to it.
struct StepParts {
  double forward = 0, backward = 0;
  double communication = 0;  // collectives beside which there was no forward and no backward
  double rest = 0;           // the optimizer, the norm, everything else
  double hidden = 0;         // collectives beside forward or backward
};

/// spans: of one rank, of one step that took so many seconds from its first forward on. Forwards and backwards come one
/// after the other, and so do collectives.
StepParts PartsOf(const std::vector<RecordedSpan>& spans, double seconds);

}  // namespace zerocts
