// What the run before left, for one that may go on from it.
#pragma once
#include <string>

#include "conformance/watch/observed_run.hpp"

namespace zerocts::watch {

/// Its last 1,000 steps, without those that changed no parameter; none where its records cannot be read.
void RememberRun(const std::string& records, ObservedRun& run);

}  // namespace zerocts::watch
