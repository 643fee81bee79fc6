// A run as the test cases that CI systems know: a suite per clause, a case per configuration. JUnit and CTRF are made
// of it.
#pragma once
#include <string>
#include <vector>

#include "conformance/report/view/run_view.hpp"

namespace zerocts {

struct TestItem {
  std::string group;  // the clause's id, or what else stands there
  std::string name;   // "mpirun W=3 bf16"
  double seconds = 0;
  Result result = Result::kPass;
  std::string message;  // one sentence; "" when it passed
  std::string text;     // failures in full
};

struct TestSuite {
  std::string name;  // "C-ZERO-001 shard coverage"
  std::vector<TestItem> items;
};

/// Clauses, then stale expectations, groups of ranks that did not start or end well, an early end, and why there is no
/// verdict: these only where there are some.
std::vector<TestSuite> TestSuitesOf(const RunView& view);

/// What becomes of a result where there are only four words. A self-reported result has not been checked: it is
/// skipped.
enum class Outcome { kPassed, kSkipped, kFailure, kError };
Outcome OutcomeOf(Result result);

}  // namespace zerocts
