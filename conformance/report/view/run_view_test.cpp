#include "conformance/report/view/run_view.hpp"

#include <gtest/gtest.h>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/log/test_records.hpp"

namespace zerocts {
namespace {

TEST(Result, WorstWins) {
  EXPECT_EQ(Worst(Result::kPass, Result::kNotApplicable), Result::kPass);
  EXPECT_EQ(Worst(Result::kTooFew, Result::kPass), Result::kTooFew);
  EXPECT_EQ(Worst(Result::kHang, Result::kCrash), Result::kCrash);
  for (Result result : kAllResults) {
    EXPECT_EQ(Worst(result, Result::kHarnessError), Result::kHarnessError);
    EXPECT_EQ(ResultFromString(ToString(result)), result);
  }
  EXPECT_THROW(ResultFromString("fine"), std::invalid_argument);
}

TEST(RunView, HealthyRunIsConformant) {
  const RunView view = ViewOf(GreenRecords());
  EXPECT_TRUE(view.conformant());
  EXPECT_EQ(view.cases(), 10);
  EXPECT_EQ(view.counts(), (std::map<Result, int64_t>{{Result::kPass, 1}}));
}

TEST(RunView, PassWithoutCasesIsTooFew) {
  Records records = GreenRecords();
  records[2]["cases"] = 0;
  const RunView view = ViewOf(Recounted(records));
  EXPECT_EQ(view.clauses[0].result, Result::kTooFew);
  EXPECT_FALSE(view.conformant());
}

TEST(RunView, RecordedFailureOutweighsItsConfigurationsWord) {
  const RunView view = ViewOf(Inserted(GreenRecords(), 2, FailureRecord("C-ZERO-001", 3)));
  EXPECT_EQ(view.clauses[0].configurations[0].result, Result::kFail);
  EXPECT_NE(view.Objection(), "");
}

TEST(RunView, AWrongValueStandsBeforeARunThatCrashed) {
  const Records crashed = Inserted(GreenRecords(), 2, FailureRecord("C-ZERO-001", 3, "crash"));
  Records records = Inserted(crashed, 3, FailureRecord("C-ZERO-001", 3));
  records[4]["result"] = "fail";
  EXPECT_EQ(ViewOf(records).clauses[0].configurations[0].result, Result::kFail);
}

/// In any order of the records, and whatever the configuration says of itself.
TEST(RunView, WhatEndsAConfigurationStandsBeforeWhatItWentOnAfter) {
  const auto read = [](const std::vector<std::string>& endings) {
    Records records = {RunRecord(), StartRecord("C-ZERO-001", "")};
    for (const std::string& ending : endings) records.push_back(FailureRecord("C-ZERO-001", 3, ending));
    records.push_back(ConfigurationRecord("C-ZERO-001", 3, "pass"));
    return ToString(ViewOf(records).clauses[0].configurations[0].result);
  };
  for (const std::string before : {"refused", "early_exit", "crash"}) {
    for (const std::string end : {"disagreement", "garbage", "hang"}) {
      EXPECT_EQ(read({before, end}), end) << before;
      EXPECT_EQ(read({end, before}), end) << before;
    }
  }
  EXPECT_EQ(read({"refused", "crash", "disagreement"}), "disagreement");
  EXPECT_EQ(read({"refused", "crash", "early_exit"}), "crash");
}

TEST(RunView, FailureOfAConfigurationThatNeverEndedIsKept) {
  const RunView view = ViewOf({RunRecord(), StartRecord("C-ZERO-001", ""), FailureRecord("C-ZERO-001", 3, "crash")});
  ASSERT_EQ(view.clauses[0].configurations.size(), 1u);
  EXPECT_EQ(view.clauses[0].result, Result::kCrash);
}

TEST(RunView, ClauseThatNeverEndedIsNotGreen) {
  Records records = GreenRecords();
  records.erase(records.begin() + 3);
  const RunView view = ViewOf(Recounted(records));
  EXPECT_FALSE(view.clauses[0].ended);
  EXPECT_FALSE(view.conformant());
  EXPECT_NE(view.Objection().find("C-ZERO-001"), std::string::npos);
}

TEST(RunView, ClauseWithoutConfigurationsIsNotGreen) {
  const Records started = Inserted(GreenRecords(), 4, StartRecord("C-ZERO-003", ""));
  const Records records = Inserted(started, 5, EndRecord("C-ZERO-003", "pass"));
  EXPECT_EQ(ViewOf(records).clauses[1].result, Result::kTooFew);
  EXPECT_FALSE(ViewOf(records).conformant());
}

TEST(RunView, NamesTheOptionThoughAnotherConfigurationHasAnotherReason) {
  nlohmann::json first = ConfigurationRecord("C-ZERO-032", 1, "not_applicable", 0), second = first;
  first["reason"] = "no";
  second["world_size"] = 3;
  second["reason"] = "left out by --ranks 1,3";
  Records records = GreenRecords();
  records.insert(records.end() - 1, {StartRecord("C-ZERO-032", "clipping effective"), first, second,
                                     EndRecord("C-ZERO-032", "not_applicable")});
  EXPECT_EQ(ViewOf(records).clauses[1].LeftOutBy(), "left out by --ranks 1,3");
}

TEST(RunView, MissedMinimumIsTooFew) {
  const RunView view = ViewOf(MixedRecords());
  const ClauseView& clause = view.clauses[1];
  EXPECT_EQ(clause.result, Result::kTooFew);
  ASSERT_EQ(clause.missed_minimums.size(), 1u);
  EXPECT_EQ(clause.missed_minimums[0].feature, "zero_numel");
  EXPECT_FALSE(clause.ConfigurationsExplainResult());
}

TEST(RunView, CrashAfterTheLastCaseIsNotConformant) {
  const RunView view = ViewOf(Inserted(GreenRecords(), 4, GroupEndRecord("shutdown", "crash")));
  EXPECT_EQ(view.Objection(), "run_end says conformant (exit code 0), the records say crash or hang (exit code 4)");
  EXPECT_FALSE(view.conformant());
}

TEST(RunView, ForeignRecordIsAUsageErrorWithItsNumber) {
  Records records = GreenRecords();
  records[2]["result"] = "splendid";
  try {
    ViewOf(records);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("record 3"), std::string::npos) << error.what();
  }
  EXPECT_THROW(ViewOf({nlohmann::json{{"x", 1}}}), UsageError);
}

TEST(RunView, ARecordWithAFieldOfAnotherTypeIsNamed) {
  const auto sentence_for = [](size_t record, const char* field, const nlohmann::json& value) -> std::string {
    Records records = MixedRecords();
    records[record][field] = value;
    try {
      ViewOf(records);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [&](size_t record, const char* field, const nlohmann::json& value, const std::string& sentence) {
    EXPECT_EQ(sentence_for(record, field, value),
              "record " + std::to_string(record + 1) + " is not one that zerocts check writes: " + sentence);
  };
  says(0, "subject", "toy", "run.subject: expected an object, got \"toy\"");
  says(1, "sentence", 3, "clause_start.sentence: expected text, got 3");
  says(2, "cases", "x", "configuration.cases: expected an integer, got \"x\"");
  says(2, "cases", int64_t{1} << 60,
       "configuration.cases: expected an integer of at most 2^53, got 1152921504606846976");
  says(3, "ranks", {{{"rank", "x"}}}, "failure.ranks[0].rank: expected an integer, got \"x\"");
  says(3, "choice", {{"version", 2}}, "failure.choice.version: expected text, got 2");
  says(3, "reproducer", {{"file", "f"}}, "failure.reproducer.python: expected this field, it is missing");
  says(9, "coverage_minimums", {{"uneven", {1}}},
       "clause_end.coverage_minimums.uneven: expected two integers, got [1]");
  says(10, "exit_code", "0", "run_end.exit_code: expected an integer, got \"0\"");
}

}  // namespace
}  // namespace zerocts
