// Which cases CheckClause runs: saved ones and drawn ones, over all configurations and with any number of jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "conformance/cases/whole/case_json.hpp"
#include "conformance/session/for_test/check_clause.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(CheckClause, DrawsForEveryMinimumWithEightCasesOfSmallTensors) {
  for (const Clause& clause : AllClauses()) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SessionSettings settings = TestSettings();
      settings.cases_per_clause = 8;
      settings.largest_size = 0;
      settings.seed = seed;
      TestSession session(RanksThatEnd(Ending::kObserved), settings);
      const CheckedClause outcome = Check(session, kSatisfied, clause.id);
      EXPECT_EQ(outcome.clause_result(), "pass") << clause.id << " seed " << seed << ": " << outcome.Of("clause_end");
    }
  }
}

TEST(CheckClause, SpreadsItsCasesOverTheConfigurationsThatAreAvailable) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.param_dtypes = {Precision::kFp32};
  settings.world_sizes = {2, 3};
  settings.cases_per_clause = 30;
  TestSession session(Runner(), settings);
  for (const json& configuration : Check(session, kSatisfied).Of("configuration")) {
    EXPECT_EQ(configuration.at("cases"), configuration.at("precision") == "fp32" ? 15 : 0) << configuration;
  }
}

TEST(CheckClause, DrawsTheSameCasesForASeedAndOthersForAnother) {
  const auto drawn = [](uint64_t seed) {
    SessionSettings settings = TestSettings();
    settings.seed = seed;
    TestSession session(RanksThatEnd(Ending::kObserved), settings);
    std::vector<Case> cases;
    Check(session, [&](Trial&, const Case& c) -> std::optional<Finding> {
      cases.push_back(c);
      return std::nullopt;
    });
    return cases;
  };
  EXPECT_EQ(drawn(5), drawn(5));
  EXPECT_NE(drawn(5), drawn(6));
}

TEST(CheckClause, FindsWhatIsRightForTheCasesOfOneSeedAloneByASecondSeedOfWhatIsRequired) {
  std::set<std::string> known;
  const Judge learns = [&](Trial&, const Case& c) -> std::optional<Finding> {
    known.insert(ToJson(c).dump());
    return std::nullopt;
  };
  const Judge recites = [&](Trial&, const Case& c) {
    return known.contains(ToJson(c).dump()) ? std::nullopt : std::optional(Finding{"another case", std::nullopt});
  };
  SessionSettings settings = TestSettings();
  settings.cases_per_clause = 8;
  TestSession first(RanksThatEnd(Ending::kObserved), settings);
  Check(first, learns);
  settings.second_seed = 2;
  const auto result = [&](const std::vector<std::string>& required) {
    settings.required = required;
    TestSession session(RanksThatEnd(Ending::kObserved), settings);
    return Check(session, recites).clause_result();
  };
  EXPECT_EQ(result({"cost"}), "pass") << kSomeClause << " is no clause of the profile";
  EXPECT_EQ(result({"zero-1"}), "fail");
}

TEST(CheckClause, JudgesWhatIsRequiredByAsManyCasesOfEachSeed) {
  SessionSettings settings = TestSettings();
  settings.second_seed = 2;
  settings.required = {"zero-1"};
  settings.cases_per_clause = 8;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const CheckedClause outcome = Check(session, kSatisfied);
  EXPECT_EQ(outcome.clause_result(), "pass");
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("cases"), 16);
  EXPECT_EQ(outcome.Of("run").at(0).at("second_seed"), 2);
}

TEST(CheckClause, SearchesForWhatCasesOfAConfigurationCanHave) {
  CaseSpace space = FindClauseCheck("C-ZERO-124").space();
  int64_t drawn = 0;
  space.keep = [&drawn, keep = space.keep](const Case& c) { return ++drawn, !keep || keep(c); };
  SessionSettings settings = TestSettings();
  settings.world_sizes = {2, 4};  // of two ranks none is left to shard what tensor ranks have
  settings.precisions = {Precision::kFp32};
  settings.cases_per_clause = 40;
  TestSession session(Runner(), settings);
  const CheckedClause checked = Check(session, kSatisfied, space);
  EXPECT_EQ(checked.clause_result(), "pass") << checked.Of("clause_end");
  EXPECT_GE(checked.Of("clause_end").at(0).at("coverage_minimums").at("tensor_shards").at(0), 2);
  EXPECT_LT(drawn, 1500);
}

/// Ranks that say who they are, and a judge that fails every third case: what the log has, but for the seconds.
std::vector<json> RecordsWithJobs(int jobs) {
  SessionSettings settings = TestSettings();
  settings.jobs = jobs;
  settings.shrink = false;
  const auto runner = [](const Configuration& configuration, const Case& c) {
    RunResult result;
    for (int rank = 0; rank < c.world_size(); ++rank)
      result.reports.push_back({rank, ToString(configuration) + ToJson(c).dump(), ""});
    return result;
  };
  TestSession session(runner, settings);
  const Judge judge = [](Trial& trial, const Case& c) -> std::optional<Finding> {
    trial.Observe(c);
    if (c.experiment.seed % 30 != 0) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // others observe meanwhile
    return Finding{"found with seed " + std::to_string(c.experiment.seed), std::nullopt};
  };
  std::vector<json> records = Check(session, judge).records;
  std::erase_if(records, [](const json& record) { return record.at("record") == "run"; });
  for (json& record : records) record.erase("seconds"), record.erase("case_file"), record.erase("replay");
  return records;
}

TEST(CheckClause, SaysTheSameWithSeveralJobs) {
  const std::vector<json> one = RecordsWithJobs(1);
  for (const int jobs : {2, 4}) EXPECT_EQ(RecordsWithJobs(jobs), one);
  const auto failure =
      std::ranges::find(one, "failure", [](const json& record) { return record.at("record").get<std::string>(); });
  ASSERT_NE(failure, one.end());
  EXPECT_EQ(failure->at("ranks").size(), failure->at("world_size"));
}

TEST(CheckClause, RunsTheCorpusOfTheConfigurationFirst) {
  SessionSettings settings = TestSettings();
  TestSession outer(RanksThatEnd(Ending::kObserved));  // its folder holds the corpus
  const std::string folder = outer.folder() / "corpus";
  std::filesystem::create_directories(folder + "/" + kSomeClause);
  Case saved{.clause = kSomeClause};
  saved.experiment.world_size = 3;
  saved.experiment.parameters = {{"a", {5}, 0}, {"b", {7}, 0}};
  SaveCase(saved, folder + "/" + kSomeClause + "/a.json");
  settings.corpus_dir = folder;
  settings.world_sizes = {2, 3};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  std::vector<Case> cases;
  const CheckedClause outcome = Check(session, [&](Trial&, const Case& c) -> std::optional<Finding> {
    cases.push_back(c);
    return std::nullopt;
  });
  EXPECT_EQ(std::count(cases.begin(), cases.end(), saved), 1);
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("cases"), 101);
  const auto first_of_three =
      std::find_if(cases.begin(), cases.end(), [](const Case& c) { return c.world_size() == 3; });
  EXPECT_EQ(*first_of_three, saved);
}

}  // namespace
}  // namespace zerocts
