// Runs the GoogleTest suites of clauses, quietly: the session's log is what is reported.
#pragma once
#include <vector>

#include "conformance/contract/clause.hpp"
#include "conformance/session/run/session.hpp"

namespace zerocts {

/// Runs a test of each of these clauses, C_ZERO_001.Holds, and of nothing else; no variable GTEST_* or RC_PARAMS
/// changes what runs. Once in a process. Says whether every test passed.
bool RunSuitesOf(const std::vector<Clause>& clauses, Session& session);

}  // namespace zerocts
