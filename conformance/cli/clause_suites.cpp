// GoogleTest as a library.
#include "conformance/cli/clause_suites.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "conformance/host/system/errors.hpp"

namespace zerocts {
namespace {

std::set<std::string> RegisteredSuites() {
  std::set<std::string> names;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) names.insert(program.GetTestSuite(i)->name());
  return names;
}

/// GoogleTest took its flags from the environment before main, and takes sharding from it later.
void IgnoreEnvironment() {
  for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE", "TEST_TOTAL_SHARDS",
                           "TEST_SHARD_INDEX", "TEST_PREMATURE_EXIT_FILE", "RC_PARAMS"}) {
    unsetenv(name);
  }
  GTEST_FLAG_SET(also_run_disabled_tests, false);
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(catch_exceptions, true);
  GTEST_FLAG_SET(fail_fast, false);
  GTEST_FLAG_SET(list_tests, false);
  GTEST_FLAG_SET(output, "");
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(stream_result_to, "");
  GTEST_FLAG_SET(throw_on_failure, false);
}

}  // namespace

bool RunSuitesOf(const std::vector<Clause>& clauses) {
  const std::set<std::string> registered = RegisteredSuites();
  std::string filter;
  for (const Clause& clause : clauses) {
    const std::string suite = SuiteName(clause.id);
    if (!registered.count(suite)) throw HarnessError(fmt::format("clause {} has no test in this program", clause.id));
    filter += suite + ".*:";
  }
  int argc = 1;
  char name[] = "zerocts";
  char* argv[] = {name, nullptr};
  IgnoreEnvironment();
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(filter, filter);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  return RUN_ALL_TESTS() == 0;
}

}  // namespace zerocts
