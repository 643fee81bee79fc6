#include "conformance/report/clause_result.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zerocts {
namespace {

using nlohmann::json;

TEST(ResultOfStratum, BelievesNoPassWithoutACase) {
  EXPECT_EQ(ResultOfStratum({{"result", "pass"}, {"cases", 3}}), Result::kPass);
  EXPECT_EQ(ResultOfStratum({{"result", "pass"}, {"cases", 0}}), Result::kTooFew);
  EXPECT_EQ(ResultOfStratum({{"result", "not_applicable"}, {"cases", 0}}), Result::kNotApplicable);
}

TEST(ResultOfClause, IsItsWorstStratum) {
  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kHang, Result::kFail}, {}, 1), Result::kHang);
  EXPECT_EQ(ResultOfClause({Result::kNotApplicable, Result::kPass}, {}, 1), Result::kPass);
  EXPECT_EQ(ResultOfClause({Result::kNotApplicable}, {}, 1), Result::kNotApplicable);
}

TEST(ResultOfClause, IsTooFewWithoutStrataOrBelowAFloorUnlessWorse) {
  const std::vector<Floor> missed = MissedFloors(json{{"floors", {{"bf16", {1, 5}}, {"sgd", {5, 5}}}}});
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed.front().feature, "bf16");
  EXPECT_EQ(ResultOfClause({}, {}, 1), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kExpected}, missed, 1), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kFail}, missed, 1), Result::kFail);
}

TEST(ResultOfClause, IsNoPassWhereNoCaseHadWhatTheClauseIsAbout) {
  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kNotApplicable}, {}, 0), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kNotApplicable}, {}, 0), Result::kNotApplicable);
  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kFail}, {}, 0), Result::kFail);
  EXPECT_EQ(ResultOfClause({Result::kPass}, {}, std::nullopt), Result::kPass) << "a log that does not say";
}

}  // namespace
}  // namespace zerocts
