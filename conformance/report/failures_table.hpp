// The failures of a run on a terminal: each cause once, with the clauses and strata that it fails.
#pragma once
#include <string>

#include "conformance/report/mark.hpp"
#include "conformance/report/reports.hpp"
#include "conformance/report/run_view.hpp"

namespace zerocts {

/// "" where nothing failed. A summary has at most some eighty lines, whatever ranks said.
std::string FailuresText(const RunView& view, const Painter& paint, Detail detail);

}  // namespace zerocts
