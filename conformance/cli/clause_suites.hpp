// Runs the GoogleTest suites of clauses, quietly: the session's log is what is reported.
#pragma once
#include <vector>

#include "conformance/contract/clause.hpp"

namespace zerocts {

/// Runs the tests of these clauses and of nothing else; no variable GTEST_* or RC_PARAMS changes what runs. The session
/// must be open. Says whether every test passed. Throws HarnessError when a clause has no test.
bool RunSuitesOf(const std::vector<Clause>& clauses);

}  // namespace zerocts
