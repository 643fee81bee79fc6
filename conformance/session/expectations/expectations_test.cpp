// Expected failures with judges that are made up: they are counted, they hide nothing, and what no longer holds is
// said.
#include "conformance/session/expectations/expectations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "conformance/cases/whole/case_json.hpp"
#include "conformance/cases/whole/features.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/host/system/errors.hpp"
#include "conformance/host/system/exit_codes.hpp"
#include "conformance/host/system/interrupt.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/session/expectations/fix_expectations.hpp"
#include "conformance/session/for_test/check_clause.hpp"
#include "conformance/session/for_test/test_session.hpp"
#include "reference/experiment/bad_json_for_test.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

const std::string kClause = "C-ZERO-001";

/// A file with one entry about W = 2, shown by a small case.
class Expecting : public testing::Test {
 protected:
  Expecting() {
    std::filesystem::create_directory(folder_);
    Case shown;
    shown.clause = kClause;
    shown.stage = 1;
    shown.experiment.parameters = {{"w", {2}, 0}};
    shown.experiment.world_size = 2;
    shown.experiment.precision = Precision::kFp32;
    SaveCase(shown, folder_ / "case.json");
  }
  ~Expecting() override { std::filesystem::remove_all(folder_); }

  SessionSettings Settings(const std::string& result, const std::string& message, json when = {{"world_sizes", {2}}}) {
    const json entry = {{"clause", kClause}, {"when", std::move(when)}, {"result", result},   {"message", message},
                        {"issue", ""},       {"date", "2026-11-22"},    {"case", "case.json"}};
    std::ofstream(folder_ / "known.json") << json{{"subject", "stand-in"}, {"entries", {entry}}};
    SessionSettings settings = TestSettings();
    settings.expectations = folder_ / "known.json";
    settings.world_sizes = {2};
    settings.precisions = {Precision::kFp32};
    return settings;
  }

  /// Checks the clause and gives the log.
  std::vector<json> Check(const SessionSettings& settings, const Judge& judge, Runner runner = {}) {
    if (!runner) runner = [](const Configuration&, const Case&) { return RunResult{}; };
    TestSession session(std::move(runner), settings);
    CheckClause(session.get(), FindClauseCheck(kClause).space(), judge);
    const CheckedClause checked = Finished(session);
    exit_code_ = checked.exit_code;
    return checked.records;
  }

  static json Only(const std::vector<json>& records, const std::string& kind) {
    for (const json& record : records) {
      if (record.at("record") == kind) return record;
    }
    return nullptr;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("zerocts-expectations-test-" + std::to_string(getpid()));
  int exit_code_ = -1;
};

const Judge kAlwaysKnown = [](Trial&, const Case&) -> std::optional<Finding> {
  return Finding{"a known trouble of 7", std::nullopt};
};

TEST_F(Expecting, CountsWhatFailsAsItSays) {
  const std::vector<json> log = Check(Settings("fail", "known trouble"), kAlwaysKnown);
  EXPECT_EQ(exit_code_, 0);
  EXPECT_EQ(Only(log, "configuration").at("result"), "expected_failure");
  EXPECT_EQ(Only(log, "clause_end").at("result"), "expected_failure");
  EXPECT_EQ(Only(log, "expectation").at("state"), "held");
  EXPECT_EQ(Only(log, "expectation").at("cases"), Only(log, "configuration").at("cases"));
  EXPECT_GE(Only(log, "configuration").at("cases"), 100);
  EXPECT_EQ(
      Only(log, "run_end").at("verdict"),
      fmt::format("conformant with 1 exception; 1 of {} clauses judged; profiles reached: none", AllClauses().size()));
}

TEST_F(Expecting, HidesNoOtherFailure) {
  const std::vector<json> log =
      Check(Settings("fail", "known trouble"), [](Trial& trial, const Case& c) -> std::optional<Finding> {
        return TotalNumel(c.experiment) < 9 ? kAlwaysKnown(trial, c) : Finding{"a new one", std::nullopt};
      });
  EXPECT_EQ(exit_code_, 1);
  EXPECT_EQ(Only(log, "configuration").at("result"), "fail");
  EXPECT_EQ(Only(log, "expectation").at("state"), "held");
  for (const json& record : log) {
    if (record.at("record") != "failure") continue;
    EXPECT_EQ(record.contains("expected"), record.at("sentence") == "a known trouble of 7");
  }
}

TEST_F(Expecting, IsAboutCasesWithItsFeatures) {
  Check(Settings("fail", "known trouble", {{"features", {"sgd", "stage1"}}}), [](Trial& trial, const Case& c) {
    return FeaturesOf(c).contains("sgd") && c.stage == 1 ? kAlwaysKnown(trial, c) : std::nullopt;
  });
  EXPECT_EQ(exit_code_, 0);
  Check(Settings("fail", "known trouble", {{"features", {"sgd", "stage1"}}}), kAlwaysKnown);
  EXPECT_EQ(exit_code_, 1) << "the same sentence of another case is another failure";
}

TEST_F(Expecting, NamesFeaturesThatAreThereAndThatItsCaseHas) {
  const auto refusal = [&](const char* feature) -> std::string {
    try {
      LoadExpectations(Settings("fail", "known trouble", {{"features", {feature}}}).expectations);
    } catch (const UsageError& wrong) {
      return wrong.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("sgd"), "");
  EXPECT_NE(refusal("adamw").find("expected a case that its \"when\" covers"), std::string::npos) << refusal("adamw");
  EXPECT_NE(refusal("swift").find("got \"swift\""), std::string::npos) << refusal("swift");
}

TEST_F(Expecting, IsStaleWhenItsCasePassesOrFailsOtherwise) {
  std::vector<json> log =
      Check(Settings("fail", "known trouble"), [](Trial&, const Case&) { return std::optional<Finding>(); });
  EXPECT_EQ(exit_code_, 5);
  EXPECT_EQ(Only(log, "clause_end").at("result"), "stale_expectation");
  EXPECT_EQ(Only(log, "expectation").at("reason"), "its case passes");
  log = Check(Settings("fail", "another trouble"), kAlwaysKnown);
  EXPECT_EQ(exit_code_, 5);
  EXPECT_EQ(Only(log, "configuration").at("result"), "stale_expectation");
  EXPECT_EQ(Only(log, "expectation").at("reason"), "its case fails otherwise: a known trouble of 7");
}

/// Its case passes; several steps end the ranks, and stage 2 is wrong.
TEST_F(Expecting, IsStaleThoughOtherCasesCrashAndFail) {
  const Runner runner = [](const Configuration&, const Case& c) {
    return RunResult{.ending = c.experiment.steps > 1 ? Ending::kCrash : Ending::kObserved};
  };
  const Judge judge = [](Trial& trial, const Case& c) -> std::optional<Finding> {
    trial.Observe(c);
    return c.stage == 2 ? kAlwaysKnown(trial, c) : std::nullopt;
  };
  const std::vector<json> log = Check(Settings("fail", "another trouble"), judge, runner);
  EXPECT_EQ(exit_code_, 5);
  EXPECT_EQ(Only(log, "configuration").at("result"), "stale_expectation");
  for (const json& record : log) EXPECT_TRUE(record.at("record") != "failure" || record.value("stale", false));
}

TEST_F(Expecting, IsHeldByItsOwnCaseWhereOthersExpectTheSame) {
  SessionSettings settings = Settings("fail", "known trouble");
  json file = json::parse(std::ifstream(settings.expectations));
  file["entries"].push_back(file["entries"][0]);
  file["entries"][0]["message"] = "trouble";
  std::ofstream(settings.expectations) << file;
  for (const json& record : Check(settings, kAlwaysKnown))
    EXPECT_TRUE(record.at("record") != "expectation" || record.at("state") == "held") << record;
  EXPECT_EQ(exit_code_, 0);
}

TEST_F(Expecting, MayHoldWhereTheRunEndedEarly) {
  const NotedInterrupts interrupts;
  raise(SIGINT);
  EXPECT_EQ(Only(Check(Settings("fail", "known trouble"), kAlwaysKnown), "expectation").at("state"), "not judged");
  EXPECT_EQ(exit_code_, kExitInterrupted);
}

TEST_F(Expecting, MatchesNothingOnlyInACompleteRun) {
  SessionSettings settings = Settings("fail", "known trouble");
  settings.world_sizes = {3};
  const Judge satisfied = [](Trial&, const Case&) { return std::optional<Finding>(); };
  EXPECT_EQ(Only(Check(settings, satisfied), "expectation").at("state"), "stale");
  EXPECT_EQ(exit_code_, 5);
  settings.complete = false;
  EXPECT_EQ(Only(Check(settings, satisfied), "expectation").at("state"), "not judged");
  EXPECT_EQ(exit_code_, 0);
}

TEST_F(Expecting, IsOnlyAboutASubjectWithItsOptions) {
  SessionSettings settings = Settings("fail", "known trouble", {{"options", {"device=cuda"}}});
  settings.complete = true;
  std::vector<json> log = Check(settings, kAlwaysKnown);
  EXPECT_EQ(exit_code_, 1);
  EXPECT_EQ(Only(log, "expectation").at("reason"), "it is about a subject with other options");
  settings.subject.options = {{"gpu", "rank"}, {"device", "cuda"}};
  log = Check(settings, kAlwaysKnown);
  EXPECT_EQ(exit_code_, 0);
  EXPECT_EQ(Only(log, "expectation").at("state"), "held");
}

TEST_F(Expecting, IsNotAboutASubjectWithOptionsThatItLeavesOut) {
  SessionSettings settings = Settings("fail", "known trouble", {{"without_options", {"device=cuda"}}});
  settings.complete = true;
  Check(settings, kAlwaysKnown);
  EXPECT_EQ(exit_code_, 0);
  settings.subject.options = {{"device", "cuda"}};
  const std::vector<json> log = Check(settings, kAlwaysKnown);
  EXPECT_EQ(exit_code_, 1);
  EXPECT_EQ(Only(log, "expectation").at("reason"), "it is about a subject with other options");
}

TEST_F(Expecting, IsRewrittenForTheDeviceOfTheRun) {
  const json failure = {{"record", "failure"},
                        {"clause", kClause},
                        {"ending", "observed"},
                        {"sentence", "a known trouble"},
                        {"world_size", 2},
                        {"precision", "fp32"},
                        {"case_file", folder_ / "case.json"},
                        {"case", ToJson(LoadCase(folder_ / "case.json"))},
                        {"options", {"gpu=rank", "device=cuda"}}};
  const json run = {{"record", "run"}, {"subject", {{"version", "1.0"}}}};
  const ExpectationsFile none{.path = folder_ / "known.json", .subject = "stand-in", .entries = {}};
  const FixedExpectations fixed = FixExpectations(none, {run, failure}, "2026-11-26");
  ASSERT_EQ(fixed.file.entries.size(), 1u);
  EXPECT_EQ(fixed.file.entries[0].when.options, std::vector<std::string>{"device=cuda"});
}

TEST_F(Expecting, CrashIsSeenOnceAndEndsTheConfiguration) {
  int runs = 0;
  const Judge runs_it = [](Trial& trial, const Case& c) -> std::optional<Finding> {
    trial.Observe(c);
    return std::nullopt;
  };
  const std::vector<json> log = Check(Settings("crash", "it died"), runs_it, [&](const Configuration&, const Case&) {
    ++runs;
    RunResult result;
    result.ending = Ending::kCrash;
    result.message = "it died";
    return result;
  });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(exit_code_, 0);
  EXPECT_EQ(Only(log, "configuration").at("result"), "expected_failure");
  EXPECT_EQ(Only(log, "expectation").at("state"), "held");
}

std::string RefusalOf(const std::string& text) {
  try {
    ExpectationsFromText(text);
  } catch (const UsageError& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(ExpectationsText, IsReadWithinLimitsAndStrictly) {
  for (const BadJson& bad : BadJsonValues()) {
    const std::string refusal = RefusalOf("{\"subject\":" + bad.value + "}");
    EXPECT_NE(refusal.find(bad.phrase), std::string::npos) << refusal;
  }
  const json entry = {{"clause", kClause}, {"result", "fail"}, {"message", "x"},
                      {"issue", ""},       {"date", ""},       {"case", "case.json"}};
  const auto refusal_with = [&](const char* field, const json& value) {
    json changed = entry;
    changed[field] = value;
    return RefusalOf(json{{"subject", "s"}, {"entries", {changed}}}.dump());
  };
  EXPECT_EQ(refusal_with("date", "2026"), "");
  EXPECT_EQ(RefusalOf("[]"), "file: expected an object, got []");
  EXPECT_EQ(refusal_with("message", 3), "file.entries[0].message: expected text, got 3");
  EXPECT_EQ(refusal_with("message", ""),
            "file.entries[0].message: expected a part of the failure's sentence, got nothing");
  EXPECT_EQ(refusal_with("clause", "C-1"), "there is no clause 'C-1'; `zerocts list` shows them all");
  EXPECT_EQ(refusal_with("when", {{"world_sizes", {0}}}),
            "file.entries[0].when.world_sizes[0]: expected a world size, got 0");
  EXPECT_EQ(refusal_with("when", {{"precisions", 1}}), "file.entries[0].when.precisions: expected an array, got 1");
  EXPECT_EQ(refusal_with("when", {{"options", {"cuda"}}}), "expected options key=value, got \"cuda\"");
  EXPECT_EQ(refusal_with("then", 1), "file.entries[0].then: unknown field");
}

TEST(LastingPart, IsTheLongestWithoutANumber) {
  EXPECT_EQ(LastingPart("w1.exp_avg on rank 2 differs from the reference after step 1"),
            "differs from the reference after step");
  EXPECT_EQ(LastingPart("p0 moved by its gradient times W * K, or as well W: not divided, or as well 2"),
            "moved by its gradient times W * K");
  EXPECT_EQ(LastingPart("no number"), "no number");
  EXPECT_EQ(LastingPart("42"), "");
}

}  // namespace
}  // namespace zerocts
