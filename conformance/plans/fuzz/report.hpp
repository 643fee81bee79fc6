// What a run says, for people.
#pragma once
#include <string>

#include "conformance/plans/fuzz/fuzz_run.hpp"
#include "conformance/plans/plan_fuzz.hpp"

namespace zerocts {

/// Writes counterexamples to options.out, names the files, and how to judge and ask again.
PlanFuzzReport ReportOf(const FuzzOutcome& outcome, const FuzzSettings& settings, const PlanFuzzOptions& options);

}  // namespace zerocts
