// Which known fault explains a run: by clauses, words and places, as far as both were judged.
#include "conformance/report/diagnose.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/known_faults.hpp"
#include "conformance/report/reports.hpp"
#include "conformance/report/test_records.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

json Failure(const std::string& clause, const std::string& sentence, int world_size = 3) {
  json failure = FailureRecord(clause, world_size);
  failure["sentence"] = sentence;
  failure["divergence"] = "step 0, gather, rank 0: parameter p0\n  expected 1\n  note: 6 x expected (W * K): a sum?";
  return failure;
}

/// Each clause with its failure; a clause without a sentence passes.
RunView RunOf(const std::vector<std::pair<std::string, std::string>>& clauses) {
  Records records = {RunRecord()};
  for (const auto& [clause, sentence] : clauses) {
    records.push_back(StartRecord(clause, "name"));
    const char* result = sentence.empty() ? "pass" : "fail";
    records.push_back(StratumRecord(clause, 1, "pass"));
    records.push_back(StratumRecord(clause, 3, result));
    if (!sentence.empty()) records.push_back(Failure(clause, sentence));
    records.push_back(EndRecord(clause, result));
  }
  return ViewOf(records);
}

const char* const kSum = "step 0: element 3 of p0 moved by its own gradient times W * K: a sum in place of the mean";
const char* const kStale = "step 1: rank 2 reads p1 as it was before the step";

std::vector<KnownFault> Known() {
  return {{"M20",
           "a sum for the mean",
           {"C-ZERO-010"},
           SymptomsOf(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}}))},
          {"M30", "a stale read", {"C-ZERO-061"}, SymptomsOf(RunOf({{"C-ZERO-050", kStale}, {"C-ZERO-061", kStale}}))}};
}

TEST(Symptoms, AreTheSameInEveryCase) {
  EXPECT_EQ(WordingOf("step 0: element 3 of p0 moved by 7.5"), "step element of moved by");
  EXPECT_EQ(WordingOf("step 4: element 11 of p12 moved by -0x1p3"), "step element of moved by");
}

TEST(Symptoms, SayWhere) {
  const Symptoms symptoms = SymptomsOf(RunOf({{"C-ZERO-010", kSum}}));
  EXPECT_TRUE(symptoms.contains({"", "where", "several ranks only"}));
  EXPECT_TRUE(symptoms.contains({"C-ZERO-010", "in", "gather"}));
  EXPECT_TRUE(symptoms.contains({"C-ZERO-010", "says", "x expected W K a sum"}));
}

TEST(Diagnosis, NamesTheFaultWhosePatternItIs) {
  const Diagnosis diagnosis =
      Diagnose(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}}), Known());
  ASSERT_FALSE(diagnosis.candidates.empty());
  EXPECT_EQ(diagnosis.candidates[0].id, "M20");
  EXPECT_DOUBLE_EQ(diagnosis.candidates[0].likeness, 1.0);
  EXPECT_EQ(Diagnose(RunOf({{"C-ZERO-061", kStale}}), Known()).candidates.at(0).id, "M30");
}

TEST(Diagnosis, KnowsWordsInOtherClauses) {
  EXPECT_EQ(Diagnose(RunOf({{"C-ZERO-001", ""}, {"C-ZERO-099", kSum}}), Known()).candidates.at(0).id, "M20");
}

TEST(Diagnosis, PlacesAloneMakeNothingAlike) {
  const RunView view = RunOf({{"C-ZERO-010", kSum}});
  Symptoms places = SymptomsOf(view);
  std::erase_if(places, [](const Symptom& symptom) { return symptom.kind != "where"; });
  ASSERT_FALSE(places.empty());
  EXPECT_TRUE(Diagnose(view, {{"M90", "elsewhere", {"C-ZERO-099"}, places}}).candidates.empty());
}

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

TEST(Diagnosis, AFaultWhoseOwnClausePassedIsUnlikely) {
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", ""}, {"C-ZERO-050", kSum}});
  std::vector<KnownFault> known = {Known()[0]};
  const double passed = Diagnose(view, known).candidates.at(0).likeness;
  known[0].clauses = {"C-ZERO-001"};
  EXPECT_DOUBLE_EQ(passed, kOwnClausesPassed * Diagnose(view, known).candidates.at(0).likeness);
  known[0].clauses = {"C-ZERO-099"};  // which was not judged
  EXPECT_DOUBLE_EQ(passed, kOwnClausesPassed * Diagnose(view, known).candidates.at(0).likeness);
}

TEST(Diagnosis, AFaultWrongByAnotherFactorIsLessAlike) {
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}});
  const auto wrong_by = [&](const std::string& factor) {
    Symptoms symptoms = SymptomsOf(view);
    for (const char* clause : {"C-ZERO-001", "C-ZERO-010"}) symptoms.insert({clause, "factor", factor});
    return KnownFault{"M " + factor, factor, {"C-ZERO-010"}, symptoms};
  };
  KnownFault none{"M none", "no factor", {"C-ZERO-001"}, SymptomsOf(view)};
  const double alike = Diagnose(view, {none}).candidates.at(0).likeness;
  EXPECT_DOUBLE_EQ(alike, 1.0);
  Records records = {RunRecord()};
  for (const char* clause : {"C-ZERO-001", "C-ZERO-010"}) {
    json failure = Failure(clause, kSum);
    failure["factors"] = {"W: a sum over ranks"};
    records.insert(records.end(),
                   {StartRecord(clause, "name"), StratumRecord(clause, 3, "fail"), failure, EndRecord(clause, "fail")});
  }
  const RunView by_w = ViewOf(records);
  const KnownFault same = wrong_by("W: a sum over ranks"), other = wrong_by("K: a sum over micro-batches");
  EXPECT_GT(Diagnose(by_w, {same}).candidates.at(0).likeness,
            Diagnose(by_w, {other}).candidates.at(0).likeness / kOtherFactors);
  EXPECT_EQ(Diagnose(by_w, {other, same, none}).candidates.at(0).id, same.id);
}

TEST(Diagnosis, LeavesOutWhatTheKnownFaultWasNotJudgedBy) {
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-061", kStale}});
  KnownFault fault = Known()[0];
  const double without_its_judge = Diagnose(view, {fault}).candidates.at(0).likeness;
  fault.symptoms = SymptomsOf(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}}));
  fault.judged = {"C-ZERO-001", "C-ZERO-010"};
  EXPECT_LT(without_its_judge, 1.0);
  EXPECT_DOUBLE_EQ(Diagnose(view, {fault}).candidates.at(0).likeness, 1.0);
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

TEST(Diagnosis, LeavesOutWhatTheRunDidNotJudge) {
  const Diagnosis diagnosis = Diagnose(RunOf({{"C-ZERO-010", kSum}}), Known());
  EXPECT_DOUBLE_EQ(diagnosis.candidates.at(0).likeness, 1.0);
  const Diagnosis passed = Diagnose(RunOf({{"C-ZERO-001", ""}, {"C-ZERO-010", kSum}}), Known());
  EXPECT_LT(passed.candidates.at(0).likeness, 1.0);
}

TEST(Diagnosis, PutsTheMostSpecificClauseFirst) {
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}});
  const std::vector<std::string> order = Diagnose(view, Known()).order;
  EXPECT_EQ(order, (std::vector<std::string>{"C-ZERO-010", "C-ZERO-001", "C-ZERO-050"}));
}

TEST(Diagnosis, PoolsWhatSeveralClausesNote) {
  const Diagnosis diagnosis =
      Diagnose(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", ""}}), Known());
  EXPECT_NE(DiagnosisText(diagnosis).find("  2 of 2 failing clauses: 6 x expected (W * K): a sum?\n"),
            std::string::npos)
      << DiagnosisText(diagnosis);
  EXPECT_TRUE(Diagnose(RunOf({{"C-ZERO-010", kSum}}), Known()).notes.empty()) << "it stands with the failure";
}

/// W=2 K=2 cannot tell W from K, and W=1 not K from W * K.
TEST(Diagnosis, FindsTheFactorThatExplainsAllFailures) {
  const auto failed = [](const std::string& clause, const std::vector<std::vector<std::string>>& factors) {
    Records records = {StartRecord(clause, "name")};
    for (const auto& of_stratum : factors) {
      records.push_back(Failure(clause, kStale, static_cast<int>(records.size())));
      records.back()["divergence"] = "";
      if (!of_stratum.empty()) records.back()["factors"] = of_stratum;
      records.push_back(StratumRecord(clause, records[records.size() - 1].at("world_size"), "fail"));
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
  EXPECT_NE(DiagnosisText(diagnosis).find("look like this, a guess"), std::string::npos);
  diagnosis.candidates[0].likeness = 0.61;
  EXPECT_EQ(DiagnosisText(diagnosis).find("a guess"), std::string::npos);
}

TEST(Diagnosis, NamesTheClauseOfWhatNoKnownFaultIsLike) {
  const Diagnosis diagnosis = Diagnose(RunOf({{"C-ZERO-050", kSum}, {"C-ZERO-083", kSum}}), Known());
  EXPECT_EQ(diagnosis.unlike, "C-ZERO-083");
  EXPECT_EQ(diagnosis.candidates.at(0).id, "M20");
  EXPECT_NE(DiagnosisText(diagnosis).find("  or a fault that C-ZERO-083 is about and no known one is like"),
            std::string::npos)
      << DiagnosisText(diagnosis);
  EXPECT_EQ(Diagnose(RunOf({{"C-ZERO-010", kSum}}), Known()).unlike, "") << "M20 is one that it must find";
  const Diagnosis alone = Diagnose(RunOf({{"C-ZERO-083", "it is keyed by its place"}}), Known());
  EXPECT_TRUE(alone.candidates.empty());
  EXPECT_NE(DiagnosisText(alone).find("  perhaps a fault that C-ZERO-083 is about"), std::string::npos)
      << DiagnosisText(alone);
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
