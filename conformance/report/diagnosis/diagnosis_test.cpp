// Which known faults and clauses are named for a run, and how that is said.
#include "conformance/report/diagnosis/diagnose.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/diagnosis/faults_for_test.hpp"
#include "conformance/report/diagnosis/known_faults.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

TEST(Diagnosis, NamesNoBadOneBesideAGoodOne) {
  std::vector<KnownFault> known = {Known()[0]};
  Symptoms more = known[0].symptoms;
  for (const char* clause : {"C-ZERO-001", "C-ZERO-010", "C-ZERO-050"}) {
    for (int i = 0; i < 9; ++i) more.insert({clause, "says", "other words " + std::to_string(i)});
  }
  known.push_back({"M91", "much else", {"C-ZERO-050"}, more});
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}});
  const Diagnosis diagnosis = Diagnose(view, known);
  ASSERT_EQ(diagnosis.candidates.size(), 1u);
  EXPECT_EQ(diagnosis.candidates[0].id, "M20");
}

TEST(Diagnosis, FaultsOfTheSameClauseAreOneCandidate) {
  std::vector<KnownFault> known = Known();
  for (const char* id : {"M21", "M22", "M23"}) known.push_back({id, "another sum", {"C-ZERO-010"}, known[0].symptoms});
  const Diagnosis diagnosis =
      Diagnose(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-061", kStale}}), known);
  ASSERT_EQ(diagnosis.candidates.size(), 2u);
  EXPECT_EQ(diagnosis.candidates[0].id, "M30");  // what four faults have in common says less
  EXPECT_EQ(diagnosis.candidates[1].id, "M20");
  EXPECT_EQ(diagnosis.candidates[1].also, (std::vector<std::string>{"M21", "M22"}));
  EXPECT_NE(DiagnosisText(diagnosis).find("M20, a sum for the mean (or M21, M22)"), std::string::npos)
      << DiagnosisText(diagnosis);
  EXPECT_EQ(ToJson(DiagnosisFromJson(ToJson(diagnosis))), ToJson(diagnosis));
}

TEST(Diagnosis, DoesNotSayHowFarBeyondABoundValuesAre) {
  Records records = {RunRecord()};
  for (const char* clause : {"C-ZERO-058", "C-ZERO-120"}) {
    records.insert(records.end(), {StartRecord(clause, "name"), ConfigurationRecord(clause, 3, "fail"),
                                   FailureRecord(clause, 3), EndRecord(clause, "fail")});
    records[records.size() - 2]["first_difference"] = FirstDifference("exact 4.68, bound 2e-05, got is 40 bounds away");
  }
  EXPECT_EQ(DiagnosisText(Diagnose(ViewOf(records), Known())).find("bounds away"), std::string::npos);
}

TEST(Diagnosis, PutsTheMostSpecificClauseFirst) {
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}});
  const std::vector<std::string> order = Diagnose(view, Known()).order;
  EXPECT_EQ(order, (std::vector<std::string>{"C-ZERO-010", "C-ZERO-001", "C-ZERO-050"}));
}

TEST(Diagnosis, PutsWhatIsNotRefusedLastWhateverItsId) {
  Records records = {RunRecord()};
  for (const char* clause : {"C-ZERO-001", "C-ZERO-050"}) {
    records.insert(records.end(), {StartRecord(clause, "name"), ConfigurationRecord(clause, 3, "fail"),
                                   Failure(clause, kSum), EndRecord(clause, "fail")});
  }
  records[0]["families"] = {{"refusal", {"C-ZERO-001"}}};
  EXPECT_EQ(Diagnose(ViewOf(records), Known()).order.back(), "C-ZERO-001");
}

TEST(Diagnosis, PoolsWhatSeveralClausesNote) {
  const Diagnosis diagnosis =
      Diagnose(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", ""}}), Known());
  EXPECT_NE(DiagnosisText(diagnosis).find("  2 of 2 failing clauses: 6 x expected (W * K): a sum?\n"),
            std::string::npos)
      << DiagnosisText(diagnosis);
  EXPECT_TRUE(Diagnose(RunOf({{"C-ZERO-010", kSum}}), Known()).notes.empty()) << "it stands with the failure";
}

Records Explained(const std::string& clause, const std::vector<std::string>& causes) {
  json failure = Failure(clause, kStale);
  failure.erase("first_difference");
  if (!causes.empty()) failure["causes"] = causes;
  failure["factors"] = {"W: a sum over ranks"};
  return {StartRecord(clause, "name"), ConfigurationRecord(clause, 3, "fail"), failure, EndRecord(clause, "fail")};
}

RunView RunExplained(const std::vector<std::pair<std::string, std::vector<std::string>>>& clauses) {
  Records records = {RunRecord()};
  for (const auto& [clause, causes] : clauses) {
    const Records more = Explained(clause, causes);
    records.insert(records.end(), more.begin(), more.end());
  }
  return ViewOf(records);
}

TEST(Diagnosis, NamesACauseBeforeAFactorAndInPlaceOfGuesses) {
  const Diagnosis diagnosis = Diagnose(RunExplained({{"C-ZERO-001", {"rank 1 kept its own gradient", "no decay"}},
                                                     {"C-ZERO-010", {"rank 0 kept its own gradient"}},
                                                     {"C-ZERO-050", {}}}),
                                       Known());
  ASSERT_EQ(diagnosis.notes.size(), 1u);
  EXPECT_EQ(diagnosis.notes[0].text, "as if rank 1 kept its own gradient");
  EXPECT_EQ(diagnosis.notes[0].clauses, 2);
  EXPECT_TRUE(diagnosis.candidates.empty());
  EXPECT_TRUE(diagnosis.unlike.empty());
  EXPECT_EQ(diagnosis.order.back(), "C-ZERO-050") << "it says nothing";
}

TEST(Diagnosis, BelievesNoCauseOfOneClauseAmongMany) {
  const Diagnosis diagnosis =
      Diagnose(RunExplained({{"C-ZERO-001", {"no decay"}}, {"C-ZERO-010", {}}, {"C-ZERO-050", {}}}), Known());
  ASSERT_EQ(diagnosis.notes.size(), 1u);
  EXPECT_EQ(diagnosis.notes[0].text, "wrong by W: a sum over ranks");
}

TEST(Diagnosis, BelievesAFactorOfMostClausesBeforeACauseOfTheFewer) {
  const std::vector<std::string> cause = {"only the gradients of rank 1 counted"};
  const Diagnosis few = Diagnose(
      RunExplained(
          {{"C-ZERO-001", cause}, {"C-ZERO-003", cause}, {"C-ZERO-010", {}}, {"C-ZERO-020", {}}, {"C-ZERO-050", {}}}),
      Known());
  ASSERT_EQ(few.notes.size(), 1u);
  EXPECT_EQ(few.notes[0].text, "wrong by W: a sum over ranks");
}

TEST(Diagnosis, NamesFactorsThatNoClauseTellsApartAndNoNumberBesideThem) {
  Records records = {RunRecord()};
  for (const char* clause : {"C-ZERO-001", "C-ZERO-010"}) {
    Records more = Explained(clause, {});
    more[2]["factors"] = {"2: counted twice", "S: not divided by shards", "R: not divided by replicas"};
    records.insert(records.end(), more.begin(), more.end());
  }
  const Diagnosis diagnosis = Diagnose(ViewOf(records), Known());
  ASSERT_EQ(diagnosis.notes.size(), 2u);
  EXPECT_EQ(diagnosis.notes[0].text, "wrong by R: not divided by replicas");
  EXPECT_EQ(diagnosis.notes[1].text, "wrong by S: not divided by shards");
}

TEST(Diagnosis, NamesNoFactorOfFewClauses) {
  const Diagnosis diagnosis = Diagnose(
      RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kStale}, {"C-ZERO-050", kStale}, {"C-ZERO-061", kStale}}), Known());
  for (const SharedNote& note : diagnosis.notes) EXPECT_EQ(note.text.find("wrong by"), std::string::npos) << note.text;
}

/// W=2 K=2 cannot tell W from K, and W=1 not K from W * K.
TEST(Diagnosis, FindsTheFactorThatExplainsAllFailures) {
  const auto failed = [](const std::string& clause, const std::vector<std::vector<std::string>>& factors) {
    Records records = {StartRecord(clause, "name")};
    for (const auto& of_configuration : factors) {
      records.push_back(Failure(clause, kStale, static_cast<int>(records.size())));
      records.back().erase("first_difference");
      if (!of_configuration.empty()) records.back()["factors"] = of_configuration;
      records.push_back(ConfigurationRecord(clause, records[records.size() - 1].at("world_size"), "fail"));
    }
    records.push_back(EndRecord(clause, "fail"));
    return records;
  };
  Records records = {RunRecord()};
  for (const Records& clause :
       {failed("C-ZERO-001", {{"W", "K"}, {"W * K", "K"}}), failed("C-ZERO-010", {{"W", "K"}, {}}),
        failed("C-ZERO-011", {{}}), failed("C-ZERO-013", {{"K"}}), failed("C-ZERO-012", {{"W"}, {"K"}})})
    records.insert(records.end(), clause.begin(), clause.end());
  const Diagnosis diagnosis = Diagnose(ViewOf(records), Known());
  ASSERT_EQ(diagnosis.notes.size(), 1u);
  EXPECT_EQ(diagnosis.notes[0].text, "wrong by K");
  EXPECT_EQ(diagnosis.notes[0].clauses, 3);
  EXPECT_EQ(diagnosis.failing, 5);
  EXPECT_EQ(diagnosis.order.front(), "C-ZERO-013") << "nothing else explains it";
}

TEST(Diagnosis, SaysWhatIsInCommon) {
  const Diagnosis diagnosis =
      Diagnose(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}}), Known());
  EXPECT_EQ(diagnosis.candidates.at(0).fits,
            (std::vector<std::string>{"C-ZERO-001, C-ZERO-010, C-ZERO-050 fail", "in gather", "several ranks only"}));
}

TEST(Diagnosis, CallsAFarLikenessAGuess) {
  Diagnosis diagnosis{.failing = 1, .candidates = {{"M20", "a sum for the mean", 0.59, {"in gather"}}}};
  EXPECT_NE(DiagnosisText(diagnosis).find("similar known faults, a guess"), std::string::npos);
  diagnosis.candidates[0].likeness = 0.61;
  EXPECT_EQ(DiagnosisText(diagnosis).find("a guess"), std::string::npos);
}

TEST(Diagnosis, NamesTheClauseOfWhatNoKnownFaultIsLike) {
  const Diagnosis diagnosis = Diagnose(RunOf({{"C-ZERO-010", kSum}, {"C-ZERO-083", kSum}}), Known());
  ASSERT_FALSE(diagnosis.unlike.empty());
  EXPECT_EQ(diagnosis.unlike.front(), "C-ZERO-083");
  EXPECT_EQ(diagnosis.candidates.at(0).id, "M20");
  EXPECT_NE(DiagnosisText(diagnosis).find(
                "  or, if it is none of these, a fault that C-ZERO-083 is about and no known one is like"),
            std::string::npos)
      << DiagnosisText(diagnosis);
  EXPECT_EQ(Diagnose(RunOf({{"C-ZERO-010", kSum}}), Known()).unlike, std::vector<std::string>())
      << "M20 is one that it must find";
  const Diagnosis alone = Diagnose(RunOf({{"C-ZERO-083", "it is keyed by its position"}}), Known());
  EXPECT_TRUE(alone.candidates.empty());
  EXPECT_NE(DiagnosisText(alone).find("  perhaps a fault that C-ZERO-083 is about"), std::string::npos)
      << DiagnosisText(alone);
}

TEST(Diagnosis, NamesThreeAnswersWhereFewerFaultsAreAlike) {
  const Diagnosis diagnosis = Diagnose(
      RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}, {"C-ZERO-083", kSum}}), {Known()[0]});
  ASSERT_EQ(diagnosis.candidates.size(), 1u);
  EXPECT_EQ(diagnosis.unlike, (std::vector<std::string>{"C-ZERO-083", "C-ZERO-001"}));
  EXPECT_NE(
      DiagnosisText(diagnosis).find("  or, if it is none of these, a fault that C-ZERO-083 or C-ZERO-001 is about"),
      std::string::npos)
      << DiagnosisText(diagnosis);
  EXPECT_EQ(ToJson(DiagnosisFromJson(ToJson(diagnosis))), ToJson(diagnosis));
}

/// C-ZERO-083 finds only the fault that is alike, C-ZERO-061 four others.
TEST(Diagnosis, NamesTheClauseThatTheCandidatesExplainLeastAndNotTheRarest) {
  const auto fault = [](const std::string& id, const std::string& clause, const RunView& view) {
    return KnownFault{id, id, {clause}, SymptomsOf(view), {"C-ZERO-010", "C-ZERO-061", "C-ZERO-070", "C-ZERO-083"}};
  };
  std::vector<KnownFault> known = {
      fault("M20", "C-ZERO-010", RunOf({{"C-ZERO-010", kSum}, {"C-ZERO-061", ""}, {"C-ZERO-083", kSum}}))};
  for (const char* id : {"M30", "M31", "M32", "M33"})
    known.push_back(fault(id, "C-ZERO-070", RunOf({{"C-ZERO-061", kStale}, {"C-ZERO-070", kStale}})));
  const RunView view = RunOf({{"C-ZERO-010", kSum}, {"C-ZERO-061", kSum}, {"C-ZERO-070", ""}, {"C-ZERO-083", kSum}});
  const Diagnosis diagnosis = Diagnose(view, known);
  ASSERT_EQ(diagnosis.candidates.at(0).id, "M20");
  EXPECT_EQ(diagnosis.unlike, (std::vector<std::string>{"C-ZERO-061", "C-ZERO-083"}));
}

/// Nobody knows whether C-ZERO-083 finds the fault that is alike; of the others it finds three, C-ZERO-061 four.
TEST(Diagnosis, AClauseThatDidNotJudgeACandidateIsNotUnexplainedByIt) {
  const Symptoms sum = SymptomsOf(RunOf({{"C-ZERO-010", kSum}}));
  std::vector<KnownFault> known = {{"M20", "", {"C-ZERO-010"}, sum, {"C-ZERO-010", "C-ZERO-061", "C-ZERO-070"}}};
  for (const char* id : {"M30", "M31", "M32", "M33"}) {
    const char* sentence = known.size() < 4 ? kStale : "";
    known.push_back({id,
                     "",
                     {"C-ZERO-070"},
                     SymptomsOf(RunOf({{"C-ZERO-061", kStale}, {"C-ZERO-070", kStale}, {"C-ZERO-083", sentence}})),
                     {"C-ZERO-010", "C-ZERO-061", "C-ZERO-070", "C-ZERO-083"}});
  }
  const RunView view = RunOf({{"C-ZERO-010", kSum}, {"C-ZERO-061", kSum}, {"C-ZERO-070", ""}, {"C-ZERO-083", kSum}});
  EXPECT_EQ(Diagnose(view, known).unlike, (std::vector<std::string>{"C-ZERO-061", "C-ZERO-083"}));
}

TEST(Diagnosis, FaultsWithAClauseInCommonAreOfOneKind) {
  std::vector<KnownFault> known = Known();
  known.push_back({"M25", "another sum", {"C-ZERO-005", "C-ZERO-010"}, known[0].symptoms});
  const Diagnosis diagnosis =
      Diagnose(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}}), known);
  ASSERT_EQ(diagnosis.candidates.size(), 1u);
  EXPECT_EQ(diagnosis.candidates[0].also, std::vector<std::string>{"M25"});
}

TEST(Diagnosis, IsEmptyWhereNothingFailedOrNothingIsAlike) {
  EXPECT_TRUE(Diagnose(RunOf({{"C-ZERO-010", ""}}), Known()).candidates.empty());
  EXPECT_TRUE(Diagnose(RunOf({{"C-ZERO-010", kSum}}), {}).candidates.empty());
}

TEST(Diagnosis, IsTheSameAfterItsJson) {
  const Diagnosis diagnosis = Diagnose(RunOf({{"C-ZERO-010", kSum}}), Known());
  const Diagnosis again = DiagnosisFromJson(ToJson(diagnosis));
  EXPECT_EQ(DiagnosisText(again), DiagnosisText(diagnosis));
  EXPECT_EQ(again.order, diagnosis.order);
}

TEST(KnownFaults, AreReadAsTheyWereWritten) {
  const std::string path = testing::TempDir() + "/known_faults.json";
  std::vector<KnownFault> written = Known();
  written[0].judged = {"C-ZERO-010"};
  std::ofstream(path) << KnownFaultsText({"0.1.0", "2026-11-25", "zerocts mutants", written});
  const std::vector<KnownFault> known = LoadKnownFaults(path);
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[1].id, "M30");
  EXPECT_EQ(known[0].symptoms, Known()[0].symptoms);
  EXPECT_EQ(known[0].judged, std::set<std::string>{"C-ZERO-010"});
  EXPECT_TRUE(known[1].judged.empty());
  EXPECT_TRUE(LoadKnownFaults("/no/such/file").empty());
  std::ofstream(path) << R"({"symptoms": [], "judged": [[]], "faults": [)"
                         R"({"id": "M1", "title": "", "clauses": [], "judged": 0, "symptoms": [4]}]})";
  EXPECT_THROW(LoadKnownFaults(path), HarnessError);
}

}  // namespace
}  // namespace zerocts
