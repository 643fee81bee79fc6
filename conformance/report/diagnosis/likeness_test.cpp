// How much alike a run is to a known fault: by clauses, words and factors, as far as both were judged.
#include "conformance/report/diagnosis/likeness.hpp"

#include <gtest/gtest.h>

#include "conformance/report/diagnosis/diagnose.hpp"
#include "conformance/report/diagnosis/faults_for_test.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

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

TEST(Likeness, NamesTheFaultWhosePatternItIs) {
  const Diagnosis diagnosis =
      Diagnose(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-050", kSum}}), Known());
  ASSERT_FALSE(diagnosis.candidates.empty());
  EXPECT_EQ(diagnosis.candidates[0].id, "M20");
  EXPECT_DOUBLE_EQ(diagnosis.candidates[0].likeness, 1.0);
  EXPECT_EQ(Diagnose(RunOf({{"C-ZERO-061", kStale}}), Known()).candidates.at(0).id, "M30");
}

TEST(Likeness, KnowsWordsInOtherClauses) {
  std::vector<KnownFault> known = Known();
  known[0].clauses = {"C-ZERO-099"};
  EXPECT_EQ(Diagnose(RunOf({{"C-ZERO-001", ""}, {"C-ZERO-099", kSum}}), known).candidates.at(0).id, "M20");
}

TEST(Likeness, WhereAloneMakesNothingAlike) {
  const RunView view = RunOf({{"C-ZERO-010", kSum}});
  Symptoms where = SymptomsOf(view);
  std::erase_if(where, [](const Symptom& symptom) { return symptom.kind != "where"; });
  ASSERT_FALSE(where.empty());
  EXPECT_TRUE(Diagnose(view, {{"M90", "elsewhere", {"C-ZERO-099"}, where}}).candidates.empty());
}

TEST(Likeness, AFaultWhoseOwnClausePassedIsUnlikely) {
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", ""}, {"C-ZERO-050", kSum}});
  std::vector<KnownFault> known = {Known()[0]};
  const double passed = Diagnose(view, known).candidates.at(0).likeness;
  known[0].clauses = {"C-ZERO-001"};
  EXPECT_DOUBLE_EQ(passed, kOwnClausesPassed * Diagnose(view, known).candidates.at(0).likeness);
  known[0].clauses = {"C-ZERO-099"};
  EXPECT_TRUE(Diagnose(view, known).candidates.empty()) << "the subject does not have what that one needs";
}

TEST(Likeness, AFaultWrongByAnotherFactorIsLessAlike) {
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
    records.insert(records.end(), {StartRecord(clause, "name"), ConfigurationRecord(clause, 3, "fail"), failure,
                                   EndRecord(clause, "fail")});
  }
  const RunView by_w = ViewOf(records);
  const KnownFault same = wrong_by("W: a sum over ranks"), other = wrong_by("K: a sum over micro-batches");
  EXPECT_GT(Diagnose(by_w, {same}).candidates.at(0).likeness,
            Diagnose(by_w, {other}).candidates.at(0).likeness / kOtherFactors);
  EXPECT_EQ(Diagnose(by_w, {other, same, none}).candidates.at(0).id, same.id);
}

TEST(Likeness, LeavesOutWhatTheKnownFaultWasNotJudgedBy) {
  const RunView view = RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}, {"C-ZERO-061", kStale}});
  KnownFault fault = Known()[0];
  const double without_its_judge = Diagnose(view, {fault}).candidates.at(0).likeness;
  fault.symptoms = SymptomsOf(RunOf({{"C-ZERO-001", kSum}, {"C-ZERO-010", kSum}}));
  fault.judged = {"C-ZERO-001", "C-ZERO-010"};
  EXPECT_LT(without_its_judge, 1.0);
  EXPECT_DOUBLE_EQ(Diagnose(view, {fault}).candidates.at(0).likeness, 1.0);
}

TEST(Likeness, LeavesOutWhatTheRunDidNotJudge) {
  const Diagnosis diagnosis = Diagnose(RunOf({{"C-ZERO-010", kSum}}), Known());
  EXPECT_DOUBLE_EQ(diagnosis.candidates.at(0).likeness, 1.0);
  const Diagnosis passed = Diagnose(RunOf({{"C-ZERO-001", ""}, {"C-ZERO-010", kSum}}), Known());
  EXPECT_LT(passed.candidates.at(0).likeness, 1.0);
}

TEST(Likeness, ClausesThatFailSayMoreThanTheirWords) {
  const RunView view = RunOf({{"C-ZERO-010", kSum}, {"C-ZERO-011", ""}});
  const auto with = [&](const char* id, const char* fails, const char* says) {
    return KnownFault{id, id, {"C-ZERO-010"}, {{fails, "fails", "fail"}, {"C-ZERO-010", "says", WordingOf(says)}}};
  };
  const std::vector<KnownFault> known = {with("M1", "C-ZERO-011", kSum), with("M2", "C-ZERO-010", kStale)};
  EXPECT_EQ(Diagnose(view, known).candidates.at(0).id, "M2");
}

}  // namespace
}  // namespace zerocts
