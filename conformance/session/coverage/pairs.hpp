// Pairwise coverage: which combinations of two among stage, plan, precision and mesh the cases of a run had.
#pragma once
#include <set>
#include <string>

#include "conformance/cases/case/case.hpp"
#include "conformance/session/configuration/settings.hpp"

namespace zerocts {

using Pairs = std::set<std::string>;  // "stage 3 + plan padded"

/// All pairs that a case has.
Pairs PairsOf(const Case& c);

/// All that a run with these settings can have, by what the subject declares.
Pairs PossiblePairs(const SessionSettings& settings);

}  // namespace zerocts
