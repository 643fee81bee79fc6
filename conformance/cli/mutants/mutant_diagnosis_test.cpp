#include "conformance/cli/mutants/mutant_diagnosis.hpp"

#include <gtest/gtest.h>

#include "conformance/report/diagnosis/faults_for_test.hpp"
#include "conformance/report/log/record.hpp"

namespace zerocts {
namespace {

KnownFault Fault(const std::string& id, const Symptoms& symptoms) { return {id, "title of " + id, {}, symptoms}; }

const Symptoms kOld = {{"C-ZERO-001", "fails", "fail"}}, kNew = {{"C-ZERO-002", "fails", "fail"}};

TEST(RenewedFaults, AreThoseThatExistAsTheyLookNow) {
  const std::vector<InstalledMutant> existing = {{.id = "M1"}, {.id = "M2"}, {.id = "M4"}};
  const std::vector<KnownFault> renewed = Renewed({Fault("M1", kOld), Fault("M2", kOld), Fault("M3", kOld)},
                                                  {Fault("M2", kNew), Fault("M4", kNew)}, existing);
  ASSERT_EQ(renewed.size(), 3u);
  EXPECT_EQ(renewed[0].symptoms, kOld);
  EXPECT_EQ(renewed[1].symptoms, kNew);
  EXPECT_EQ(renewed[2].id, "M4");
}

TEST(RenewedFaults, KeepHowOneLookedThatNowShowsNothing) {
  const std::vector<KnownFault> renewed = Renewed({Fault("M1", kOld)}, {Fault("M1", {})}, {{.id = "M1"}});
  ASSERT_EQ(renewed.size(), 1u);
  EXPECT_EQ(renewed[0].symptoms, kOld);
}

/// A log in which this clause alone fails, with this sentence.
std::string LogOf(const std::string& name, const std::string& clause, const std::string& sentence) {
  const std::string path = testing::TempDir() + "/" + name + ".ndjson";
  EventLog log(path);
  for (const nlohmann::json& record : {RunRecord(), StartRecord(clause, "name"), ConfigurationRecord(clause, 3, "fail"),
                                       Failure(clause, sentence), EndRecord(clause, "fail")})
    log.Write(record);
  return path;
}

TEST(Recognized, MutantsLeftOutAreCountedByTheHalfOfTheirNumber) {
  const auto mutant = [](const std::string& id) { return InstalledMutant{.id = id, .clauses = {"C-ZERO-010"}}; };
  const std::vector<LoggedMutant> logged = {{mutant("M21"), {LogOf("a", "C-ZERO-010", kSum)}},
                                            {mutant("M22"), {LogOf("b", "C-ZERO-010", kSum)}},
                                            {mutant("M23"), {LogOf("c", "C-ZERO-061", kStale)}}};
  std::vector<KnownFault> known = Known();
  known[1].clauses = {"C-ZERO-061"};
  const RecognitionOfAll all = Recognized(logged, known);
  EXPECT_EQ(all.by_sibling.runs, 3);
  EXPECT_EQ(all.by_sibling.first, 2);
  EXPECT_EQ(all.of_odd.runs, 2);
  EXPECT_EQ(all.of_odd.among, 1);
  EXPECT_EQ(all.of_even.runs, 1);
  EXPECT_EQ(all.of_even.first, 1);
  EXPECT_NE(all.rows.find("M23    wrong M30"), std::string::npos) << all.rows;
}

}  // namespace
}  // namespace zerocts
