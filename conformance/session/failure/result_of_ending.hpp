// From how a run ended to what it comes to.
#pragma once
#include "conformance/cases/case/observation.hpp"
#include "conformance/report/log/result.hpp"

namespace zerocts {

/// What a run that ended so comes to when nothing else is judged.
Result ResultOf(Ending ending);

}  // namespace zerocts
