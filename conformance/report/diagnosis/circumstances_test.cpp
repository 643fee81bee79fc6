// What failing cases have in common, against what the cases of their clauses have.
#include "conformance/report/diagnosis/circumstances.hpp"

#include <gtest/gtest.h>

#include "conformance/cases/case/case.hpp"
#include "conformance/cases/whole/case_json.hpp"
#include "conformance/report/diagnosis/diagnose.hpp"
#include "conformance/report/diagnosis/faults_for_test.hpp"

namespace zerocts {
namespace {

/// Clauses of 10 cases each, of which so many have each feature; each clause fails in one that has these.
RunView RunOfCases(const std::map<std::string, int64_t>& drawn, const std::vector<std::vector<std::string>>& failing) {
  Records records = {RunRecord()};
  for (size_t i = 0; i < failing.size(); ++i) {
    const std::string clause = "C-ZERO-00" + std::to_string(i + 1);
    records.push_back(StartRecord(clause, "name"));
    records.back()["essential"] = {{i == 0 ? "uneven" : "several_ranks"}};
    records.push_back(ConfigurationRecord(clause, 3, "fail"));
    records.back()["features"] = drawn;
    records.push_back(Failure(clause, kStale));
    records.back()["drawn_features"] = failing[i];
    records.push_back(EndRecord(clause, "fail"));
    records.back()["asked"] = {{"cases", 10}, {"features", nlohmann::json::object()}};
  }
  return ViewOf(records);
}

std::vector<std::string> TextsOf(const RunView& view) {
  std::vector<std::string> texts;
  for (const Circumstance& circumstance : CircumstancesOf(view)) texts.push_back(circumstance.Text());
  return texts;
}

TEST(Circumstances, AreWhatAllFailingCasesHaveAndFewOthers) {
  const RunView view = RunOfCases({{"several_ranks", 10}, {"uneven", 3}, {"momentum", 9}},
                                  {{"several_ranks", "uneven"}, {"several_ranks", "uneven"}, {"uneven"}});
  EXPECT_EQ(TextsOf(view), (std::vector<std::string>{"no momentum", "uneven"}));
  EXPECT_NEAR(CircumstancesOf(view).front().chance, 0.001, 1e-12);
}

TEST(Circumstances, AreNoneWhereOneFailingCaseDiffers) {
  EXPECT_TRUE(TextsOf(RunOfCases({{"uneven", 3}}, {{"uneven"}, {"uneven"}, {}})).empty());
}

TEST(Circumstances, AreNoneWhereTheyMayBeChance) {
  EXPECT_TRUE(TextsOf(RunOfCases({{"uneven", 5}}, {{"uneven"}, {"uneven"}, {"uneven"}})).empty());
  EXPECT_EQ(TextsOf(RunOfCases({{"uneven", 3}}, {{"uneven"}, {"uneven"}, {"uneven"}})).size(), 1u);
}

TEST(Circumstances, AreTakenFromTheCaseWhereItDidNotShrink) {
  Records records = {RunRecord(), StartRecord("C-ZERO-001", "name"), ConfigurationRecord("C-ZERO-001", 3, "fail"),
                     Failure("C-ZERO-001", kStale), EndRecord("C-ZERO-001", "fail")};
  records[2]["features"] = {{"accumulation", 0}, {"one_parameter", 0}};
  Case c;
  c.clause = "C-ZERO-001";
  c.experiment.parameters = {{"p0", {3}}};
  c.experiment.groups = {{}};
  records[3]["case"] = ToJson(c);
  EXPECT_EQ(TextsOf(ViewOf(records)), std::vector<std::string>{"one_parameter"});
  records[3]["case"]["stage"] = "of another version";
  EXPECT_TRUE(TextsOf(ViewOf(records)).empty());
}

TEST(Diagnosis, NamesTheClauseThatIsAboutACircumstance) {
  const RunView view =
      RunOfCases({{"uneven", 1}, {"several_ranks", 10}}, {{"uneven"}, {"uneven"}, {"uneven"}, {"uneven"}});
  std::vector<KnownFault> known = {{"M30", "stale", {"C-ZERO-061"}, SymptomsOf(view), {}}};
  for (const char* id : {"M31", "M32", "M33"})
    known.push_back({id, "other", {"C-ZERO-070"}, SymptomsOf(RunOf({{"C-ZERO-001", "another sentence"}})), {}});
  const Diagnosis diagnosis = Diagnose(view, known);
  ASSERT_FALSE(diagnosis.unlike.empty());
  EXPECT_EQ(diagnosis.unlike.front(), "C-ZERO-001") << "three others are found by it, too, but it is about `uneven`";
  EXPECT_NE(DiagnosisText(diagnosis).find("4 of 4 failing clauses: every failing case has uneven"), std::string::npos)
      << DiagnosisText(diagnosis);
}

}  // namespace
}  // namespace zerocts
