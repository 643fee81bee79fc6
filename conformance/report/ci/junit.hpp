// A run for CI systems, as JUnit.
#pragma once
#include <string>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

/// JUnit: one testsuite per clause, one testcase per configuration; failure, error (harness, crash, hang) and skipped
/// are kept apart.
std::string JUnitOf(const RunView& view);

}  // namespace zerocts
