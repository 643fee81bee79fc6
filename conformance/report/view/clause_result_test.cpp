#include "conformance/report/view/clause_result.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zerocts {
namespace {

using nlohmann::json;

TEST(ResultOfConfiguration, BelievesNoPassWithoutACase) {
  EXPECT_EQ(ResultOfConfiguration({{"result", "pass"}, {"cases", 3}}), Result::kPass);
  EXPECT_EQ(ResultOfConfiguration({{"result", "pass"}, {"cases", 0}}), Result::kTooFew);
  EXPECT_EQ(ResultOfConfiguration({{"result", "not_applicable"}, {"cases", 0}}), Result::kNotApplicable);
}

TEST(ResultOfConfiguration, IsSelfReportedWhereNobodyButTheSubjectSawAFigure) {
  const auto result = [](const char* word, const json& sources, int cases = 3) {
    return ResultOfConfiguration({{"result", word}, {"cases", cases}, {"sources", sources}});
  };
  EXPECT_EQ(result("pass", {{"kernel", 3}}), Result::kPass);
  EXPECT_EQ(result("pass", {{"kernel", 1}, {"subject", 2}}), Result::kPass)
      << "small cases have figures below every allowance";
  EXPECT_EQ(result("pass", {{"subject", 3}}), Result::kSelfReported) << "no better than its cases";
  EXPECT_EQ(result("pass", json::object()), Result::kPass) << "it rests on no figure";
  EXPECT_EQ(result("self_reported", {{"subject", 3}}), Result::kSelfReported);
  EXPECT_EQ(result("self_reported", json::object(), 0), Result::kTooFew);
  EXPECT_EQ(result("fail", {{"subject", 2}}), Result::kFail);
}

TEST(ResultOfClause, IsItsWorstConfiguration) {
  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kSelfReported, Result::kNotApplicable}, {}, 1),
            Result::kSelfReported);

  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kHang, Result::kFail}, {}, 1), Result::kHang);
  EXPECT_EQ(ResultOfClause({Result::kNotApplicable, Result::kPass}, {}, 1), Result::kPass);
  EXPECT_EQ(ResultOfClause({Result::kNotApplicable}, {}, 1), Result::kNotApplicable);
}

TEST(ResultOfClause, IsTooFewWithoutConfigurationsOrBelowAMinimumUnlessWorse) {
  const std::vector<CoverageMinimum> missed =
      MissedMinimums(json{{"coverage_minimums", {{"bf16", {1, 5}}, {"sgd", {5, 5}}}}});
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed.front().feature, "bf16");
  EXPECT_EQ(ResultOfClause({}, {}, 1), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kExpected}, missed, 1), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kFail}, missed, 1), Result::kFail);
}

TEST(ResultOfClause, IsNoPassWhereNoCaseHadWhatTheClauseIsAbout) {
  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kNotApplicable}, {}, 0), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kSelfReported}, {}, 0), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kNotApplicable}, {}, 0), Result::kNotApplicable);
  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kFail}, {}, 0), Result::kFail);
  EXPECT_EQ(ResultOfClause({Result::kPass}, {}, std::nullopt), Result::kPass) << "a log that does not say";
}

}  // namespace
}  // namespace zerocts
