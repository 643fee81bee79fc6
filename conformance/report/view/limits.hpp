// How far a verdict reaches.
#pragma once
#include <string>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// "for 1 to 4 ranks of 64 declared, stage 1, fp32, without accumulation and clipping": ranks, stages and precisions of
/// the run, and which of the usual features the subject does not declare; "" where the log does not say.
std::string LimitsOf(const RunView& view);

}  // namespace zerocts
