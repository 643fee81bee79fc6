// Runs that end before their clauses do, with ranks that are made up.
#include "conformance/session/run/stops.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "conformance/host/system/interrupt.hpp"
#include "conformance/report/ci/junit.hpp"
#include "conformance/report/view/run_view.hpp"
#include "conformance/session/for_test/check_clause.hpp"

namespace zerocts {
namespace {

const std::vector<std::string> kClauses = {"C-ZERO-001", "C-ZERO-003", "C-ZERO-005"};

SessionSettings ThatStops() {
  SessionSettings settings = TestSettings();
  settings.most_hangs = 3;
  settings.world_sizes = {2};
  settings.precisions = {Precision::kFp32};
  settings.cases_per_clause = 4;
  return settings;
}

/// Its ranks hang in the barrier of step 3, or in another place in each clause.
Runner RanksThatHang(bool elsewhere, int* runs) {
  return [=](const Configuration&, const Case& c) {
    ++*runs;
    const std::string call = elsewhere ? std::string("call_") + static_cast<char>('a' + c.clause.back() - '0') : "step";
    RunResult result{.ending = Ending::kHang, .message = "rank 1 did not answer"};
    result.reports = {{0, "observed", ""}, {1, "pid 77, stands at step 3, in " + call + ": barrier " + "9", ""}};
    return result;
  };
}

CheckedClause CheckAll(TestSession& session, const std::vector<std::string>& clauses) {
  for (const std::string& id : clauses) CheckClause(session.get(), FindClauseCheck(id).space(), kRuns);
  return Finished(session);
}

std::vector<Result> ResultsIn(const TestSession& session) {
  std::vector<Result> results;
  for (const ClauseView& clause : ViewOfLog(session.folder() / "results.ndjson").clauses)
    results.push_back(clause.result);
  return results;
}

TEST(Stops, ThreeHangsAtOnePlaceEndTheRun) {
  int runs = 0;
  SessionSettings settings = ThatStops();
  settings.shrink = false;
  settings.clauses = {"C-ZERO-001", "C-ZERO-003", "C-ZERO-005", "C-ZERO-010", "C-ZERO-050"};
  settings.world_sizes = {2};
  TestSession session(RanksThatHang(false, &runs), settings);
  const CheckedClause checked = CheckAll(session, settings.clauses);
  EXPECT_EQ(checked.exit_code, 4);
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(checked.Of("clause_end").size(), 5u);
  EXPECT_EQ(ResultsIn(session),
            (std::vector{Result::kHang, Result::kHang, Result::kHang, Result::kNotRun, Result::kNotRun}));
  const RunView view = ViewOfLog(session.folder() / "results.ndjson");
  EXPECT_EQ(view.Objection(), "");
  const std::string junit = JUnitOf(view);
  EXPECT_NE(junit.find("<skipped message=\"not run: 3 cases in a row hung in step: barrier N (--no-stop goes on)\""),
            std::string::npos)
      << junit;
}

/// Its ranks hang in the second case of each clause, and pass the others.
Runner RanksThatHangLater(int* runs) {
  auto cases = std::make_shared<std::map<std::string, int>>();
  return [=, hangs = RanksThatHang(false, runs)](const Configuration& configuration, const Case& c) {
    if (++(*cases)[c.clause] == 2) return hangs(configuration, c);
    ++*runs;
    return RunResult{.ending = Ending::kObserved};
  };
}

TEST(Stops, HangsOfThreeClausesAtOnePlaceEndTheRunAlsoWhereCasesPassBetween) {
  int runs = 0;
  SessionSettings settings = ThatStops();
  settings.shrink = false;
  settings.clauses = {"C-ZERO-001", "C-ZERO-003", "C-ZERO-005", "C-ZERO-010"};
  TestSession session(RanksThatHangLater(&runs), settings);
  CheckAll(session, settings.clauses);
  EXPECT_EQ(runs, 3 * 2);
  EXPECT_EQ(ResultsIn(session), (std::vector{Result::kHang, Result::kHang, Result::kHang, Result::kNotRun}));
  const std::string junit = JUnitOf(ViewOfLog(session.folder() / "results.ndjson"));
  EXPECT_NE(junit.find("not run: cases of 3 clauses hung in step: barrier N (--no-stop goes on)"), std::string::npos)
      << junit;
}

TEST(Stops, HangsAtOtherPlacesDoNot) {
  int runs = 0;
  SessionSettings settings = ThatStops();
  settings.shrink = false;
  TestSession session(RanksThatHang(true, &runs), settings);
  CheckAll(session, {"C-ZERO-001", "C-ZERO-003", "C-ZERO-005", "C-ZERO-010"});
  EXPECT_EQ(runs, 4);
}

TEST(Stops, OnlyTheFirstHangInARowIsShrunk) {
  int runs = 0;
  TestSession session(RanksThatHang(false, &runs), ThatStops());
  CheckAll(session, kClauses);
  EXPECT_EQ(runs, 1 + 3 + 1 + 1);
}

TEST(Stops, AnInterruptedRunKeepsWhatItJudged) {
  const NotedInterrupts interrupts;
  const Runner runner = [](const Configuration&, const Case& c) -> RunResult {
    if (c.clause == "C-ZERO-003") {
      raise(SIGINT);
      ThrowIfInterrupted();
    }
    return {.ending = Ending::kObserved};
  };
  TestSession session(runner, ThatStops());
  const CheckedClause checked = CheckAll(session, kClauses);
  EXPECT_EQ(checked.exit_code, 130);
  EXPECT_EQ(checked.records.back().at("verdict"), "interrupted by SIGINT; so far nothing failed");
  EXPECT_EQ(ResultsIn(session).front(), Result::kPass);
  EXPECT_EQ(ResultsIn(session).back(), Result::kNotRun);
  const RunView view = ViewOfLog(session.folder() / "results.ndjson");
  EXPECT_EQ(view.Objection(), "");
  EXPECT_EQ(view.exit_code(), 130);
  EXPECT_NE(JUnitOf(view).find("interrupted by SIGINT; so far nothing failed; not run: 1 clause"), std::string::npos);
}

}  // namespace
}  // namespace zerocts
