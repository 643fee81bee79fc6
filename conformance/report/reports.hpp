// What is made of a run's log for people and for CI.
#pragma once
#include <string>

#include "conformance/report/run_view.hpp"

namespace zerocts {

/// JUnit: one testsuite per clause, one testcase per stratum; failure, error (harness, crash, hang) and skipped are
/// kept apart.
std::string JUnitOf(const RunView& view);

/// The table clause x world size with a legend, floors and `needs` lines, and the verdict; `color` for terminals.
std::string TableOf(const RunView& view, bool color);

}  // namespace zerocts
