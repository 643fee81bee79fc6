// A run for a terminal.
#pragma once
#include <string>

#include "conformance/report/terminal/detail.hpp"
#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// For logs, and for terminals on request: the failures, the table with a legend, what was not judged, `files` (names
/// of what was written), and last the verdict. `color`: with escapes.
std::string TableOf(const RunView& view, bool color, Detail detail = Detail::kSummary, const std::string& files = "");

/// What a person takes in at a glance, at most twelve lines: the first failure and how to replay it, the diagnosis,
/// `files`, and last the verdict.
std::string GlanceOf(const RunView& view, bool color, const std::string& files = "");

}  // namespace zerocts
