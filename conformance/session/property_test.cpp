// CheckClause with judges and ranks that are made up: what it writes and how it ends, for everything that can happen to
// a clause.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "conformance/check/hints.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/report/record.hpp"
#include "conformance/session/check_clause.hpp"
#include "conformance/session/test_session.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

const std::string kPropertyClause = "C-ZERO-001";

const Judge kSatisfied = [](Trial&, const Case&) -> std::optional<Finding> { return std::nullopt; };
const Judge kRuns = [](Trial& trial, const Case& c) -> std::optional<Finding> {
  trial.Observe(c);
  return std::nullopt;
};

Runner RanksThatEnd(Ending ending, int* runs = nullptr) {
  return [=](const Stratum&, const Case& c) {
    if (runs) ++*runs;
    RunResult result;
    result.ending = ending;
    result.message = "it ended so";
    for (int rank = 0; rank < c.world_size(); ++rank)
      result.reports.push_back({rank, "stands at step 1", "the rank's last words"});
    return result;
  };
}

struct Outcome {
  int exit_code = 0;
  std::string failures;  // what GoogleTest was told
  std::vector<json> records;

  std::vector<json> Of(const std::string& kind) const {
    std::vector<json> found;
    for (const json& record : records) {
      if (record.at("record") == kind) found.push_back(record);
    }
    return found;
  }
  std::string clause_result() const { return Of("clause_end").at(0).at("result"); }
  std::vector<std::string> stratum_results() const {
    std::vector<std::string> results;
    for (const json& record : Of("stratum")) results.push_back(record.at("result"));
    return results;
  }
};

Outcome Check(TestSession& session, const Judge& judge, const CaseSpace& space) {
  Outcome outcome;
  testing::TestPartResultArray parts;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &parts);
    CheckClause(session.get(), space, judge);
  }
  for (int i = 0; i < parts.size(); ++i) outcome.failures += parts.GetTestPartResult(i).message();
  outcome.exit_code = session.get().Finish();
  outcome.records = ReadEventLog(session.folder() / "results.ndjson").records;
  return outcome;
}

Outcome Check(TestSession& session, const Judge& judge, const std::string& clause = kPropertyClause) {
  return Check(session, judge, FindClauseCheck(clause).space());
}

TEST(CheckClause, PassesWhenEveryCaseDoes) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const Outcome outcome = Check(session, kSatisfied);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.failures;
  EXPECT_EQ(outcome.failures, "");
  EXPECT_EQ(outcome.clause_result(), "pass");
  EXPECT_EQ(outcome.Of("stratum").size(), 8u);
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("cases"), 100);
  EXPECT_EQ(outcome.Of("run").at(0).at("seed"), 1);
}

TEST(CheckClause, DrawsForEveryFloorWithEightCasesOfSmallTensors) {
  for (const Clause& clause : AllClauses()) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      SessionSettings settings = TestSettings();
      settings.cases_per_clause = 8;
      settings.largest_size = 0;
      settings.seed = seed;
      TestSession session(RanksThatEnd(Ending::kObserved), settings);
      const Outcome outcome = Check(session, kSatisfied, clause.id);
      EXPECT_EQ(outcome.clause_result(), "pass") << clause.id << " seed " << seed << ": " << outcome.failures;
    }
  }
}

/// Of a subject that divides by W and forgets K.
std::optional<Finding> FindsSumsOverMicroBatches(Trial&, const Case& c) {
  const int K = c.experiment.micro_batches;
  if (K == 1) return std::nullopt;
  Divergence divergence;
  Hint hint = FactorHint(1, static_cast<float>(K), c.world_size(), K, c.replicas);
  divergence.note = hint.text;
  divergence.factors = hint.factors;
  return Finding{"differs", divergence};
}

/// One rank with the same K would be told "W * K: a sum in place of the mean, or as well K".
TEST(CheckClause, ShrinksNoFurtherThanTheHintOfAFailureStaysTheSame) {
  SessionSettings settings = TestSettings();
  settings.world_sizes = {5};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const Outcome outcome = Check(session, FindsSumsOverMicroBatches, "C-ZERO-020");
  const std::string divergence = outcome.Of("failure").at(0).at("divergence");
  EXPECT_NE(divergence.find("wrong by K: not divided by the number of micro-batches?"), std::string::npos);
  EXPECT_EQ(divergence.find("W * K"), std::string::npos) << divergence;
  const Case smallest = LoadCase(outcome.Of("failure").at(0).at("case_file"));
  EXPECT_GT(smallest.world_size(), 1);
  EXPECT_NE(smallest.world_size(), smallest.experiment.micro_batches);
  EXPECT_EQ(smallest.experiment.parameters.size(), 1u);
}

/// Several steps end the ranks, and stage 2 is wrong.
TEST(CheckClause, GoesOnAfterACrashWithCasesThatLackWhatEndedIt) {
  const Runner runner = [](const Stratum& stratum, const Case& c) {
    return RanksThatEnd(c.experiment.steps > 1 ? Ending::kCrash : Ending::kObserved)(stratum, c);
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
  const Outcome outcome = Check(session, judge);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.clause_result(), "fail");
  std::vector<std::string> endings;
  for (const json& failure : outcome.Of("failure")) endings.push_back(failure.at("ending"));
  EXPECT_EQ(endings.front(), "crash");
  EXPECT_EQ(endings.back(), "observed");
  const std::string said = outcome.Of("failure").at(0).at("sentence");
  EXPECT_NE(said.find("Its stratum went on with cases that do not have all of: "), std::string::npos) << said;
  EXPECT_NE(said.find("multi_step"), std::string::npos) << said;
}

TEST(CheckClause, EndsSoonWhereEveryCaseCrashes) {
  int runs = 0;
  SessionSettings settings = TestSettings();
  settings.world_sizes = {2};
  settings.precisions = {Precision::kFp32};
  TestSession session(RanksThatEnd(Ending::kCrash, &runs), settings);
  const Outcome outcome = Check(session, kRuns);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.clause_result(), "crash");
  EXPECT_LE(runs, 6);  // three cases, and three tries of shrinking the first
}

TEST(CheckClause, FailsShrinksAndSavesTheCase) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const Outcome outcome = Check(session, [](Trial&, const Case& c) -> std::optional<Finding> {
    if (TotalNumel(c.experiment) < 5 || c.world_size() < 2) return std::nullopt;
    return Finding{"too large for this judge", std::nullopt};
  });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.clause_result(), "fail");
  EXPECT_NE(outcome.failures.find("too large for this judge"), std::string::npos);
  const json failure = outcome.Of("failure").at(0);
  const Case smallest = LoadCase(failure.at("case_file"));
  EXPECT_EQ(ToJson(smallest), failure.at("case"));
  EXPECT_EQ(smallest.world_size(), 2);
  EXPECT_EQ(TotalNumel(smallest.experiment), 5);
  EXPECT_EQ(smallest.experiment.steps, 1);
  EXPECT_EQ(outcome.stratum_results(), (std::vector<std::string>{"not_applicable", "not_applicable", "fail", "fail",
                                                                 "fail", "fail", "fail", "fail"}));
}

TEST(CheckClause, ShrinksToACaseThatIsAboutTheClause) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const Outcome outcome = Check(
      session,
      [](Trial&, const Case&) {
        return std::optional(Finding{"never", std::nullopt});
      },
      "C-ZERO-001");
  const json failure = outcome.Of("failure").at(0);
  EXPECT_EQ(LoadCase(failure.at("case_file")).world_size(), 2) << "one rank fails too, and divides nothing";
}

TEST(CheckClause, DoesNotShrinkWhenToldNotTo) {
  SessionSettings settings = TestSettings();
  settings.shrink = false;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  int judged = 0;
  const Outcome outcome = Check(session, [&](Trial&, const Case&) -> std::optional<Finding> {
    ++judged;
    return Finding{"never", std::nullopt};
  });
  EXPECT_EQ(outcome.Of("failure").size(), 6u);
  EXPECT_EQ(judged, 6);
}

TEST(CheckClause, LeavesAClauseThatFailedWhenToldSo) {
  SessionSettings settings = TestSettings();
  settings.shrink = false;
  settings.fail_fast = true;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  int largest = 0;
  const Outcome outcome = Check(session, [&](Trial&, const Case& c) -> std::optional<Finding> {
    largest = std::max(largest, c.world_size());
    return Finding{"never", std::nullopt};
  });
  EXPECT_EQ(outcome.Of("failure").size(), 1u);
  EXPECT_EQ(largest, 4) << "the largest group shows most";
  EXPECT_EQ(outcome.clause_result(), "fail");
  const std::vector<std::string> results = outcome.stratum_results();
  EXPECT_EQ(std::ranges::count(results, "too_few"), 5);
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST(CheckClause, KeepsShrinkingInsideItsBudget) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  int judged = 0;
  Check(session, [&](Trial&, const Case&) -> std::optional<Finding> {
    ++judged;
    return Finding{"never", std::nullopt};
  });
  EXPECT_LE(judged, 1 + 200 + 7 * (1 + 20));
}

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
    const Outcome outcome = Check(session, kRuns);
    EXPECT_EQ(outcome.clause_result(), result);
    EXPECT_EQ(outcome.exit_code, exit_code) << result;
    if (ending == Ending::kUnsupported) continue;
    const json failure = outcome.Of("failure").at(0);
    EXPECT_EQ(failure.at("ending"), result);
    EXPECT_TRUE(failure.at("sentence").get<std::string>().starts_with("it ended so")) << failure.at("sentence");
    EXPECT_EQ(failure.at("ranks").at(0).at("output"), "the rank's last words");
  }
}

TEST(CheckClause, RunsAHangAtMostAHandfulOfTimes) {
  int runs = 0;
  TestSession session(RanksThatEnd(Ending::kHang, &runs));
  const Outcome outcome = Check(session, kRuns);
  EXPECT_EQ(runs, 1 + 3 + 1);  // found, shrunk three times; found in a second stratum, not shrunk; then no more
  EXPECT_EQ(outcome.Of("failure").size(), 2u);
  EXPECT_EQ(outcome.Of("stratum").size(), 8u);
  EXPECT_EQ(outcome.stratum_results().back(), "too_few");
}

TEST(CheckClause, AbortsOnAnErrorOfTheHarness) {
  TestSession session([](const Stratum&, const Case&) -> RunResult { throw HarnessError("no more sockets"); });
  const Outcome outcome = Check(session, kRuns);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.clause_result(), "harness_error");
  EXPECT_EQ(outcome.stratum_results(), (std::vector<std::string>{"not_applicable", "not_applicable", "harness_error"}));
  EXPECT_EQ(outcome.Of("failure").at(0).at("sentence"), "no more sockets");
}

TEST(CheckClause, TakesAJudgeThatThrowsForAnErrorOfTheHarness) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const Outcome outcome =
      Check(session, [](Trial&, const Case&) -> std::optional<Finding> { throw std::invalid_argument("oops"); });
  EXPECT_EQ(outcome.exit_code, 3);
}

TEST(CheckClause, KeepsAFailureWhenTheHarnessBreaksWhileShrinking) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  int judged = 0;
  const Outcome outcome = Check(session, [&](Trial&, const Case&) -> std::optional<Finding> {
    if (++judged > 1) throw HarnessError("no more sockets");
    return Finding{"found first", std::nullopt};
  });
  EXPECT_EQ(outcome.Of("failure").at(0).at("sentence"), "found first");
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST(CheckClause, WithoutTimeIsTooFewAndNotGreen) {
  SessionSettings settings = TestSettings();
  settings.time_budget = std::chrono::seconds(0);
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const Outcome outcome = Check(session, kSatisfied);
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_EQ(outcome.clause_result(), "too_few");
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("cases"), 0);
  EXPECT_NE(outcome.failures, "");
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
  testing::TestPartResultArray too_few;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &too_few);
    CheckClause(session.get(), FindClauseCheck("C-ZERO-001").space(), slow);
  }
  EXPECT_EQ(too_few.size(), 1);
  EXPECT_GT(Check(session, slow, "C-ZERO-002").Of("clause_end").at(1).at("cases"), 0);
}

TEST(CheckClause, WithoutAnApplicableStratumIsNotApplicableAndSkipped) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.stages = {0};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const Outcome outcome = Check(session, kSatisfied);
  EXPECT_EQ(outcome.exit_code, 77);
  EXPECT_EQ(outcome.clause_result(), "not_applicable");
  EXPECT_NE(outcome.Of("stratum").at(0).at("reason").get<std::string>().find("needs: stage 1"), std::string::npos);
}

TEST(CheckClause, AsksOnlyTheStrataThatCanHaveWhatIsEssential) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const Outcome outcome = Check(session, kSatisfied, "C-ZERO-056");
  EXPECT_EQ(outcome.clause_result(), "pass");
  for (const json& stratum : outcome.Of("stratum")) {
    const bool asked = stratum.at("precision") == "bf16";
    EXPECT_EQ(stratum.at("result"), asked ? "pass" : "not_applicable");
    EXPECT_EQ(stratum.at("reason"), asked ? "" : "needs: bf16");
    EXPECT_EQ(stratum.at("asked_elsewhere"), !asked);
    EXPECT_EQ(stratum.at("asked"), stratum.at("cases"));
  }
  const json end = outcome.Of("clause_end").at(0);
  EXPECT_EQ(end.at("asked"), (json{{"cases", 100}, {"features", {{"bf16", 100}}}}));
  EXPECT_EQ(end.at("needs"), json::array()) << "what other strata have is not missing";
}

TEST(CheckClause, IsToldWhereNobodyButTheSubjectSawTheFigures) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  const Outcome outcome = Check(session, [](Trial& trial, const Case& c) -> std::optional<Finding> {
    trial.evidence().Add(Witness::kSubject);
    if (c.world_size() == 2) trial.evidence().Add(Witness::kKernel);
    return std::nullopt;
  });
  EXPECT_EQ(outcome.clause_result(), "told");
  EXPECT_EQ(outcome.exit_code, 0);
  for (const json& stratum : outcome.Of("stratum")) {
    if (stratum.at("result") == "not_applicable") continue;
    const bool seen = stratum.at("world_size") == 2;
    EXPECT_EQ(stratum.at("result"), seen ? "pass" : "told");
    EXPECT_EQ(stratum.at("witnesses"), (json{{seen ? "kernel" : "subject", stratum.at("cases")}}));
  }
  EXPECT_NE(outcome.Of("run_end").at(0).at("verdict").get<std::string>().find("1 of these told by the subject alone"),
            std::string::npos);
}

TEST(CheckClause, IsNotApplicableWithoutWhatIsEssential) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.replicas = false;
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  const Outcome outcome = Check(session, kSatisfied, "C-ZERO-016");
  EXPECT_EQ(outcome.clause_result(), "not_applicable");
  EXPECT_EQ(outcome.exit_code, 77);
  EXPECT_EQ(outcome.Of("clause_end").at(0).at("needs").at(0), "needs: replicas");
  for (const json& stratum : outcome.Of("stratum")) EXPECT_EQ(stratum.at("asked_elsewhere"), false);
}

TEST(CheckClause, TakesAPassBackWhereNoCaseHadAllThatIsEssential) {
  TestSession session(RanksThatEnd(Ending::kObserved));
  CaseSpace space = FindClauseCheck("C-ZERO-021").space();
  space.keep = [](const Case& c) {
    const Experiment& e = c.experiment;
    const bool low = e.precision == Precision::kBf16 || e.accumulation == Precision::kBf16;
    return low != (e.micro_batches > 1);
  };
  const Outcome outcome = Check(session, kSatisfied, space);
  EXPECT_EQ(outcome.clause_result(), "not_applicable");
  EXPECT_EQ(outcome.exit_code, 77);
  for (const json& stratum : outcome.Of("stratum")) {
    EXPECT_EQ(stratum.at("result"), "not_applicable");
    EXPECT_EQ(stratum.at("reason"), "no case that ran had accumulation and (bf16 or bf16_accumulation)");
  }
}

TEST(CheckClause, SpreadsItsCasesOverTheStrataThatAreOffered) {
  SessionSettings settings = TestSettings();
  settings.info.capabilities.param_dtypes = {Precision::kFp32};
  settings.world_sizes = {2, 3};
  settings.cases_per_clause = 30;
  TestSession session(Runner(), settings);
  for (const json& stratum : Check(session, kSatisfied).Of("stratum")) {
    EXPECT_EQ(stratum.at("cases"), stratum.at("precision") == "fp32" ? 15 : 0) << stratum;
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

/// Ranks that say who they are, and a judge that fails every third case: what the log has, but for the seconds.
std::vector<json> RecordsWithLanes(int lanes) {
  SessionSettings settings = TestSettings();
  settings.lanes = lanes;
  settings.shrink = false;
  const auto runner = [](const Stratum& stratum, const Case& c) {
    RunResult result;
    for (int rank = 0; rank < c.world_size(); ++rank)
      result.reports.push_back({rank, ToString(stratum) + ToJson(c).dump(), ""});
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

TEST(CheckClause, SaysTheSameWithSeveralLanes) {
  const std::vector<json> one = RecordsWithLanes(1);
  for (const int lanes : {2, 4}) EXPECT_EQ(RecordsWithLanes(lanes), one);
  const auto failure =
      std::ranges::find(one, "failure", [](const json& record) { return record.at("record").get<std::string>(); });
  ASSERT_NE(failure, one.end());
  EXPECT_EQ(failure->at("ranks").size(), failure->at("world_size"));
}

TEST(CheckClause, RunsTheCorpusOfTheStratumFirst) {
  SessionSettings settings = TestSettings();
  TestSession outer(RanksThatEnd(Ending::kObserved));  // its folder holds the corpus
  const std::string folder = outer.folder() / "corpus";
  std::filesystem::create_directories(folder + "/" + kPropertyClause);
  Case saved{.clause = kPropertyClause};
  saved.experiment.world_size = 3;
  saved.experiment.parameters = {{"a", {5}, 0}, {"b", {7}, 0}};
  SaveCase(saved, folder + "/" + kPropertyClause + "/a.json");
  settings.corpus_dir = folder;
  settings.world_sizes = {2, 3};
  TestSession session(RanksThatEnd(Ending::kObserved), settings);
  std::vector<Case> cases;
  const Outcome outcome = Check(session, [&](Trial&, const Case& c) -> std::optional<Finding> {
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
