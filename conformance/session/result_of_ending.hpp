// From how a run ended to what it comes to.
#pragma once
#include "conformance/cases/observation.hpp"
#include "conformance/report/result.hpp"

namespace zerocts {

/// What a run that ended so comes to when nothing else is judged.
Result ResultOf(Ending ending);

}  // namespace zerocts
