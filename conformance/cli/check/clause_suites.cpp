// GoogleTest as a library.
#include "conformance/cli/check/clause_suites.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "conformance/contract/judge.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/session/run/check_clause.hpp"

namespace zerocts {
namespace {

class ClauseTest : public testing::Test {
 public:
  ClauseTest(Session& session, const ClauseCheck& check) : session_(session), check_(check) {}
  void TestBody() override { CheckClause(session_, check_.space(), check_.judge); }

 private:
  Session& session_;
  const ClauseCheck& check_;
};

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

bool RunSuitesOf(const std::vector<Clause>& clauses, Session& session) {
  for (const Clause& clause : clauses) {
    const ClauseCheck& check = FindClauseCheck(clause.id);
    testing::RegisterTest(SuiteName(clause.id).c_str(), "Holds", nullptr, nullptr, __FILE__, __LINE__,
                          [&]() -> testing::Test* { return new ClauseTest(session, check); });
  }
  int argc = 1;
  char name[] = "zerocts";
  char* argv[] = {name, nullptr};
  IgnoreEnvironment();
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(filter, "*");
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  return RUN_ALL_TESTS() == 0;
}

}  // namespace zerocts
