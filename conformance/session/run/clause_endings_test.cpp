// What CheckClause makes of ranks that crash, hang or refuse, and of errors of the harness.
#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/view/run_view.hpp"
#include "conformance/session/for_test/check_clause.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(CheckClause, TellsEveryEndingApart) {
  for (const auto& [ending, result, exit_code] :
       std::vector<std::tuple<Ending, std::string, int>>{{Ending::kCrash, "crash", 4},
                                                         {Ending::kEarlyExit, "early_exit", 4},
                                                         {Ending::kHang, "hang", 4},
                                                         {Ending::kGarbage, "garbage", 1},
                                                         {Ending::kDisagreement, "disagreement", 1},
                                                         {Ending::kRefused, "refused", 1},
                                                         {Ending::kUnsupported, "not_applicable", 77}}) {
    TestSession session(RanksThatEnd(ending));
    const CheckedClause outcome = Check(session, kRuns);
    EXPECT_EQ(outcome.clause_result(), result);
    EXPECT_EQ(outcome.exit_code, exit_code) << result;
    if (ending == Ending::kUnsupported) continue;
    const json failure = outcome.Of("failure").at(0);
    EXPECT_EQ(failure.at("ending"), result);
    EXPECT_TRUE(failure.at("sentence").get<std::string>().starts_with("it ended so")) << failure.at("sentence");
    EXPECT_EQ(failure.at("ranks").at(0).at("output"), "the rank's last words");
  }
}

/// Several steps end the ranks, and stage 2 is wrong.
TEST(CheckClause, GoesOnAfterACrashWithCasesThatLackWhatEndedIt) {
  const Runner runner = [](const Configuration& configuration, const Case& c) {
    return RanksThatEnd(c.experiment.steps > 1 ? Ending::kCrash : Ending::kObserved)(configuration, c);
  };
  SessionSettings settings = TestSettings();
  settings.world_sizes = {2};
  settings.precisions = {Precision::kFp32};
  TestSession session(runner, settings);
  const Judge judge = [](Trial& trial, const Case& c) -> std::optional<Finding> {
    trial.Observe(c);
    if (c.stage != 2) return std::nullopt;
    return Finding{"a wrong value", std::nullopt};
  };
  const CheckedClause outcome = Check(session, judge);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.clause_result(), "fail");
  std::vector<std::string> endings;
  for (const json& failure : outcome.Of("failure")) endings.push_back(failure.at("ending"));
  EXPECT_EQ(endings.front(), "crash");
  EXPECT_EQ(endings.back(), "observed");
  const std::string said = outcome.Of("failure").at(0).at("sentence");
  EXPECT_NE(said.find("Its configuration went on with cases that do not have all of: "), std::string::npos) << said;
  EXPECT_NE(said.find("multi_step"), std::string::npos) << said;
}

/// Several steps end the ranks, and stage 2 ends them in another way.
TEST(CheckClause, WhatEndsAConfigurationStandsBeforeTheCrashAfterWhichItWentOn) {
  for (const auto& [ending, result, exit_code] : std::vector<std::tuple<Ending, std::string, int>>{
           {Ending::kDisagreement, "disagreement", 1}, {Ending::kGarbage, "garbage", 1}, {Ending::kHang, "hang", 4}}) {
    const Runner runner = [ending](const Configuration& configuration, const Case& c) {
      const Ending of_one_step = c.stage == 2 ? ending : Ending::kObserved;
      return RanksThatEnd(c.experiment.steps > 1 ? Ending::kCrash : of_one_step)(configuration, c);
    };
    SessionSettings settings = TestSettings();
    settings.world_sizes = {2};
    settings.precisions = {Precision::kFp32};
    TestSession session(runner, settings);
    const CheckedClause outcome = Check(session, kRuns);
    std::vector<std::string> endings;
    for (const json& failure : outcome.Of("failure")) endings.push_back(failure.at("ending"));
    EXPECT_EQ(endings.front(), "crash");
    EXPECT_EQ(endings.back(), result);
    EXPECT_EQ(outcome.configuration_results(), std::vector{result});
    EXPECT_EQ(outcome.exit_code, exit_code) << result;
  }
}

TEST(CheckClause, EndsSoonWhereEveryCaseCrashes) {
  int runs = 0;
  SessionSettings settings = TestSettings();
  settings.world_sizes = {2};
  settings.precisions = {Precision::kFp32};
  TestSession session(RanksThatEnd(Ending::kCrash, &runs), settings);
  const CheckedClause outcome = Check(session, kRuns);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.clause_result(), "crash");
  EXPECT_LE(runs, 6);  // three cases, and three tries of shrinking the first
}

TEST(CheckClause, RunsAHangAtMostAHandfulOfTimes) {
  int runs = 0;
  TestSession session(RanksThatEnd(Ending::kHang, &runs));
  const CheckedClause outcome = Check(session, kRuns);
  EXPECT_EQ(runs, 1 + 3 + 1);  // found, shrunk three times; found in a second configuration, not shrunk; then no more
  EXPECT_EQ(outcome.Of("failure").size(), 2u);
  EXPECT_EQ(outcome.Of("configuration").size(), 8u);
  EXPECT_EQ(outcome.configuration_results().back(), "too_few");
}

TEST(CheckClause, AbortsOnAnErrorOfTheHarness) {
  TestSession session([](const Configuration&, const Case&) -> RunResult { throw HarnessError("no more sockets"); });
  const CheckedClause outcome = Check(session, kRuns);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.clause_result(), "harness_error");
  EXPECT_EQ(outcome.configuration_results(),
            (std::vector<std::string>{"not_applicable", "not_applicable", "harness_error"}));
  EXPECT_EQ(outcome.Of("failure").at(0).at("sentence"), "no more sockets");
}

TEST(CheckClause, TakesAJudgeThatThrowsForAnErrorOfTheHarness) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const CheckedClause outcome =
      Check(session, [](Trial&, const Case&) -> std::optional<Finding> { throw std::invalid_argument("oops"); });
  EXPECT_EQ(outcome.exit_code, 3);
}

/// Outside of its configurations. The clause after it is judged.
TEST(CheckClause, TakesADrawThatThrowsForAnErrorOfTheHarness) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  CaseSpace space = FindClauseCheck(kSomeClause).space();
  space.keep = [](const Case&) -> bool { throw std::invalid_argument("oops"); };
  CheckClause(session.get(), space, kSatisfied);
  const CheckedClause outcome = Check(session, kSatisfied, "C-ZERO-002");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.clause_result(), "harness_error") << "of the first";
  EXPECT_EQ(outcome.Of("failure").at(0).at("sentence"), "oops");
  EXPECT_EQ(outcome.Of("clause_end").at(1).at("result"), "pass");
  EXPECT_EQ(ViewOfLog(session.folder() / "results.ndjson").exit_code(), 3);
}

}  // namespace
}  // namespace zerocts
