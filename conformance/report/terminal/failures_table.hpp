// The failures of a run on a terminal: each cause once, with the clauses and configurations that it fails.
#pragma once
#include <string>

#include "conformance/report/terminal/detail.hpp"
#include "conformance/report/view/run_view.hpp"
#include "conformance/report/words/mark.hpp"

namespace zerocts {

/// "" where nothing failed. A summary has at most some eighty lines, whatever ranks said.
std::string FailuresText(const RunView& view, const Painter& paint, Detail detail);

/// The worst alone, in at most so many lines: where, what, the first difference, and the command that replays it in a
/// line of its own; "" where nothing failed.
std::string FirstFailure(const RunView& view, const Painter& paint, size_t lines);

}  // namespace zerocts
