#include <gtest/gtest.h>

#include "conformance/report/ci/badge.hpp"
#include "conformance/report/ci/ctrf.hpp"
#include "conformance/report/log/test_records.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(Ctrf, HasWhatItsSchemaRequires) {
  const json report = json::parse(CtrfOf(ViewOf(MixedRecords())));
  EXPECT_EQ(report.at("reportFormat"), "CTRF");
  EXPECT_EQ(report.at("specVersion"), "0.0.0");
  EXPECT_EQ(report.at("results").at("tool").at("name"), "zerocts");
  const json& summary = report.at("results").at("summary");
  for (const char* count : {"tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"})
    EXPECT_TRUE(summary.at(count).is_number_integer()) << count;
  for (const json& test : report.at("results").at("tests")) {
    EXPECT_FALSE(test.at("name").get<std::string>().empty());
    EXPECT_TRUE(test.at("duration").is_number_integer());
    EXPECT_TRUE(test.at("suite").is_array());
  }
}

TEST(Ctrf, CountsWhatItLists) {
  const json results = json::parse(CtrfOf(ViewOf(MixedRecords()))).at("results");
  std::map<std::string, int> counts;
  for (const json& test : results.at("tests")) ++counts[test.at("status")];
  EXPECT_EQ(results.at("summary").at("tests"), results.at("tests").size());
  for (const char* status : {"passed", "failed", "skipped"})
    EXPECT_EQ(results.at("summary").at(status), counts[status]);
  EXPECT_EQ(counts["passed"], 2);
  EXPECT_EQ(counts["failed"], 2) << "a failure, and a coverage minimum that was missed";
  EXPECT_EQ(counts["skipped"], 1);
}

TEST(Ctrf, SaysWhyATestFailed) {
  const json results = json::parse(CtrfOf(ViewOf(MixedRecords()))).at("results");
  const auto failed =
      std::ranges::find_if(results.at("tests"), [](const json& t) { return t.at("status") == "failed"; });
  EXPECT_EQ(failed->at("name"), "C-ZERO-001 local W=3 fp32");
  EXPECT_EQ(failed->at("rawStatus"), "fail");
  EXPECT_EQ(failed->at("suite"), json::array({"C-ZERO-001 shard coverage"}));
  EXPECT_EQ(failed->at("message"), "rank 2 owns nothing of w1 <which> has & 7 elements");
  EXPECT_NE(failed->at("trace").get<std::string>().find("zerocts replay out/cases/a.json"), std::string::npos);
}

TEST(Ctrf, ARunWithoutVerdictIsRed) {
  Records cut = GreenRecords();
  cut.pop_back();
  const json results = json::parse(CtrfOf(ViewOf(cut))).at("results");
  EXPECT_EQ(results.at("summary").at("failed"), 1);
  EXPECT_EQ(results.at("summary").at("extra").at("exit_code"), 3);
}

TEST(Ctrf, TimesAreMilliseconds) {
  Records records = GreenRecords();
  records.front()["started"] = "1970-01-01T00:01:00Z";
  const json summary = json::parse(CtrfOf(ViewOf(records))).at("results").at("summary");
  EXPECT_EQ(summary.at("start"), 60'000);
  EXPECT_EQ(summary.at("stop"), 62'500);
}

json Badge(const Records& records) { return json::parse(BadgeOf(ViewOf(records))); }

TEST(Badge, SaysTheVerdictInAColour) {
  const json green = Badge(GreenRecords());
  EXPECT_EQ(green.at("schemaVersion"), 1);
  EXPECT_EQ(green.at("label"), "ZeRO-CTS toy");
  EXPECT_EQ(green.at("message"), "conformant, 1 clause");
  EXPECT_EQ(green.at("color"), "brightgreen");
  EXPECT_EQ(Badge(MixedRecords()).at("message"), "not conformant, 2 clauses");
  EXPECT_EQ(Badge(MixedRecords()).at("color"), "red");
}

TEST(Badge, ALogThatProvesNothingIsNotGreen) {
  Records cut = GreenRecords();
  cut.pop_back();
  EXPECT_EQ(Badge(cut).at("message"), "no verdict");
  EXPECT_EQ(Badge(cut).at("color"), "lightgrey");
  EXPECT_EQ(Badge(cut).at("isError"), true);
}

TEST(Badge, ExceptionsAndParts) {
  Records records = GreenRecords();
  records.front()["partial"] = "world size 3 only";
  records.back()["verdict"] = "conformant, partial: world size 3 only";
  EXPECT_EQ(Badge(records).at("color"), "green");
  EXPECT_EQ(Badge(records).at("message"), "conformant, partial: world size 3 only, 1 clause");
}

}  // namespace
}  // namespace zerocts
