// For tests: the events of a rank whose reductions all run beside the backward that comes next.
#pragma once
#include "conformance/cases/case/case.hpp"
#include "conformance/cases/case/observation.hpp"

namespace zerocts {

/// Each parameter of the case's model travels in a bucket of its own, so its number is the parameter's. `shown` has the
/// events of the steps before.
void TellPerfectEvents(const Case& c, int64_t step, RankObservation& shown);

}  // namespace zerocts
