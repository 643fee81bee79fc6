// A run for a terminal.
#pragma once
#include <string>

#include "conformance/report/terminal/detail.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// For terminals and logs: the verdict, the failures, the table with a legend, what was not judged. `color`: with
/// escapes.
std::string TableOf(const RunView& view, bool color, Detail detail = Detail::kSummary);

}  // namespace zerocts
