// What CheckClause writes of a clause as a whole, and when it stops.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "conformance/session/for_test/check_clause.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(CheckClause, PassesWhenEveryCaseDoes) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const CheckedClause outcome = Check(session, kSatisfied);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.Of("failure").empty());
  EXPECT_EQ(outcome.clause_result(), "pass");
  EXPECT_EQ(outcome.Of("configuration").size(), 8u);
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("cases"), 100);
  EXPECT_EQ(outcome.Of("run").at(0).at("seed"), 1);
}

TEST(CheckClause, IsSelfReportedWhereNobodyButTheSubjectSawTheFigures) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const CheckedClause outcome = Check(session, [](Trial& trial, const Case& c) -> std::optional<Finding> {
    trial.evidence().Add(FigureSource::kSubject);
    if (c.world_size() == 2) trial.evidence().Add(FigureSource::kKernel);
    return std::nullopt;
  });
  EXPECT_EQ(outcome.clause_result(), "self_reported");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const json& configuration : outcome.Of("configuration")) {
    if (configuration.at("result") == "not_applicable") continue;
    const bool seen = configuration.at("world_size") == 2;
    EXPECT_EQ(configuration.at("result"), seen ? "pass" : "self_reported");
    EXPECT_EQ(configuration.at("sources"), (json{{seen ? "kernel" : "subject", configuration.at("cases")}}));
  }
  EXPECT_NE(outcome.Of("run_end").at(0).at("verdict").get<std::string>().find("1 of these self-reported"),
            std::string::npos);
}

TEST(CheckClause, SaysWhatNoCaseOfAConfigurationCouldMeasure) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const CheckedClause outcome = Check(session, [](Trial& trial, const Case& c) -> std::optional<Finding> {
    trial.evidence().Add(FigureSource::kKernel);
    if (c.world_size() == 2) trial.evidence().AddNotMeasured("the CPU time of a step");
    return std::nullopt;
  });
  EXPECT_EQ(outcome.clause_result(), "pass");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const json& configuration : outcome.Of("configuration")) {
    if (configuration.at("result") == "not_applicable") continue;
    const bool seen = configuration.at("world_size") != 2;
    EXPECT_EQ(configuration.at("reason"), seen ? "" : "not measured: the CPU time of a step");
  }
}

TEST(CheckClause, RunsNoMoreCasesThanTheSpaceAllowsButOneInEachConfiguration) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  CaseSpace space = FindClauseCheck(kSomeClause).space();
  space.most_cases = 3;
  EXPECT_EQ(Check(session, kSatisfied, space).Of("clause_end").at(0).at("cases"), 6);
}

TEST(CheckClause, LeavesAClauseThatFailedWhenToldSo) {
  SessionSettings settings = TestSettings();
  settings.shrink = false;
  settings.fail_fast = true;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  int largest = 0;
  const CheckedClause outcome = Check(session, [&](Trial&, const Case& c) -> std::optional<Finding> {
    largest = std::max(largest, c.world_size());
    return Finding{"never", std::nullopt};
  });
  EXPECT_EQ(outcome.Of("failure").size(), 1u);
  EXPECT_EQ(largest, 4) << "the largest group shows most";
  EXPECT_EQ(outcome.clause_result(), "fail");
  const std::vector<std::string> results = outcome.configuration_results();
  EXPECT_EQ(std::ranges::count(results, "too_few"), 5);
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST(CheckClause, WithoutTimeIsTooFewAndNotGreen) {
  SessionSettings settings = TestSettings();
  settings.time_budget = std::chrono::seconds(0);
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, kSatisfied);
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_EQ(outcome.clause_result(), "too_few");
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("cases"), 0);
}

TEST(CheckClause, SharesTheTimeWithTheClausesThatFollow) {
  SessionSettings settings = TestSettings();
  settings.time_budget = std::chrono::seconds(2);
  settings.clauses = {"C-ZERO-001", "C-ZERO-002"};
  settings.cases_per_clause = 5000;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const Judge slow = [](Trial&, const Case&) -> std::optional<Finding> {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::nullopt;
  };
  CheckClause(session.get(), FindClauseCheck("C-ZERO-001").space(), slow);
  const CheckedClause both = Check(session, slow, "C-ZERO-002");
  EXPECT_EQ(both.clause_result(), "too_few") << "of the first";
  EXPECT_GT(both.Of("clause_end").at(1).at("cases"), 0);
}

TEST(Jobs, OneKeepsTheOrder) {
  std::vector<int> done;
  RunTasks(1, {[&] { done.push_back(0); }, [&] { done.push_back(1); }, [&] { done.push_back(2); }});
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
}

TEST(Jobs, SeveralWorkAtOnceAndAllIsDoneAtTheEnd) {
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0, met = 0, done = 0;
  const auto meet = [&] {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    met += changed.wait_for(lock, std::chrono::seconds(20), [&] { return inside >= 2; });
    ++done;
  };
  RunTasks(2, {meet, meet, meet});
  EXPECT_EQ(met, 3);
  EXPECT_EQ(done, 3);
}

TEST(Jobs, NothingToDoIsDone) { RunTasks(4, {}); }

}  // namespace

}  // namespace zerocts
