// Failing clauses that may name a fault which nobody planted.
#pragma once
#include <string>
#include <vector>

#include "conformance/report/diagnosis/likeness.hpp"

namespace zerocts {

/// All failing clauses: first those about a circumstance of the failures (report/diagnosis/circumstances.hpp), where
/// few clauses are about it before where many are; then those that fail least probably where the fault is one of the
/// candidates.
std::vector<std::string> LeastExplainedFirst(const RunView& view, const Comparison& comparison,
                                             const std::vector<const Match*>& candidates);

}  // namespace zerocts
