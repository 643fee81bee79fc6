// What a rank's timeline says of one step.
#pragma once
#include <string>
#include <vector>

#include "impl/stages/timeline.hpp"

namespace zerocts {

/// Seconds in spans of this name, one after the other or beside each other.
double SecondsIn(const std::vector<RecordedSpan>& spans, const std::string& name);

}  // namespace zerocts
