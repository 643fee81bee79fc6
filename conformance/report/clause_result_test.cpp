#include "conformance/report/clause_result.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zerocts {
namespace {

using nlohmann::json;

TEST(ResultOfStratum, BelievesNoPassWithoutACase) {
  EXPECT_EQ(ResultOfStratum({{"result", "pass"}, {"cases", 3}}), Result::kPass);
  EXPECT_EQ(ResultOfStratum({{"result", "pass"}, {"cases", 0}}), Result::kTooFew);
  EXPECT_EQ(ResultOfStratum({{"result", "unsupported"}, {"cases", 0}}), Result::kUnsupported);
}

TEST(ResultOfClause, IsItsWorstStratum) {
  EXPECT_EQ(ResultOfClause({Result::kPass, Result::kHang, Result::kFail}, {}), Result::kHang);
  EXPECT_EQ(ResultOfClause({Result::kUnsupported, Result::kPass}, {}), Result::kPass);
  EXPECT_EQ(ResultOfClause({Result::kUnsupported}, {}), Result::kUnsupported);
}

TEST(ResultOfClause, IsTooFewWithoutStrataOrBelowAFloorUnlessWorse) {
  const std::vector<Floor> missed = MissedFloors(json{{"floors", {{"bf16", {1, 5}}, {"sgd", {5, 5}}}}});
  ASSERT_EQ(missed.size(), 1u);
  EXPECT_EQ(missed.front().feature, "bf16");
  EXPECT_EQ(ResultOfClause({}, {}), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kExpected}, missed), Result::kTooFew);
  EXPECT_EQ(ResultOfClause({Result::kFail}, missed), Result::kFail);
}

}  // namespace
}  // namespace zerocts
