// What a terminal gets of a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/report/log/test_records.hpp"
#include "conformance/report/terminal/table.hpp"
#include "conformance/report/view/verdict_text.hpp"

namespace zerocts {
namespace {

TEST(Glance, TellsTheFirstFailureTheDiagnosisAndLastTheVerdictInTwelveLines) {
  Records records = ManyFailures(5);
  for (nlohmann::json& record : records) {
    if (record.at("record") == "failure") record["sentence"] = fmt::format("{:x<500}", "many words ");
  }
  records.back()["diagnosis"] = DiagnosisOf(5, "wrong by K");
  const std::string glance = GlanceOf(ViewOf(records), false, "page: out/report.html\n");
  EXPECT_LE(Count(glance, "\n"), 12u) << glance;
  EXPECT_TRUE(glance.starts_with("C-ZERO-101 under local W=1 fp32: fail\n")) << glance;
  EXPECT_EQ(Count(glance, "zerocts replay"), 1u) << glance;
  EXPECT_TRUE(Has(glance,
                  "  replay: zerocts replay out/cases/a.json --subject plugin:./toy.so --option 'comm=two "
                  "words' --launcher local\n"))
      << glance;
  EXPECT_TRUE(Has(glance, "\nDiagnosis: 5 of 5 failing clauses: wrong by K\npage: out/report.html\n")) << glance;
  EXPECT_TRUE(Has(glance, "\nnot conformant: 5 of 5 clauses failed (exit code 1)")) << glance;
  EXPECT_FALSE(Has(glance, "family")) << glance;
}

TEST(Glance, OfAPassIsItsVerdictWithItsLimits) {
  Records records = GreenRecords();
  records[0]["suite_clauses"] = 66;
  records[0]["precisions"] = {"fp32", "bf16"};
  records[0]["world_sizes"] = {1, 2, 3, 4};
  records[0]["partial"] = "optimizer sgd only";
  records[0]["subject"]["capabilities"] = {
      {"world_sizes", {1, 64}}, {"stages", {0, 1}}, {"param_dtypes", {"fp32"}}, {"clip", true}, {"checkpoint", true}};
  records[2]["features"] = {{"stage1", 10}};
  records.back()["verdict"] = "conformant, partial: optimizer sgd only; 1 of 66 clauses judged";
  EXPECT_EQ(GlanceOf(ViewOf(records), false),
            "conformant: 1 of 66 clauses, for 1 to 4 ranks of 64 declared, stage 1, fp32, without accumulation;\n"
            "partial: optimizer sgd only (exit code 0) after 2.5 s\n");
}

TEST(Glance, NamesOptionsAndWhatWasExcused) {
  Records records = Recounted(GreenRecords());
  records[0]["subject"]["options"] = {{"ds.zero_optimization.overlap_comm", "true"}};
  const nlohmann::json expectation = {{"record", "expectation"},   {"clause", "C-ZERO-033"},
                                      {"message", "empty tensor"}, {"issue", ""},
                                      {"date", "2026-11-22"},      {"reason", ""}};
  for (const auto& [state, clause] : {std::pair("held", "C-ZERO-033"), std::pair("not judged", "C-ZERO-083")}) {
    nlohmann::json record = expectation;
    record["state"] = state;
    record["clause"] = clause;
    record["cases"] = 2;
    records = Inserted(records, static_cast<int>(records.size()) - 1, record);
  }
  records.back()["verdict"] = "conformant with 1 exception";
  const RunView view = ViewOf(records);
  EXPECT_TRUE(Has(GlanceOf(view, false), "conformant with 1 exception (C-ZERO-033)")) << GlanceOf(view, false);
  EXPECT_TRUE(Has(GlanceOf(view, false), ", with\nds.zero_optimization.overlap_comm=true (exit"))
      << GlanceOf(view, false);
  const std::string table = TableOf(view, false, Detail::kSummary, "");
  EXPECT_TRUE(Has(table, "\n1 expectation of clauses that did not run\n")) << table;
  EXPECT_FALSE(Has(table, "C-ZERO-083")) << table;
}

TEST(Glance, SaysWhatAllFailingCasesHave) {
  Records records = ManyFailures(5);
  records.back()["diagnosis"] = DiagnosisOf(5, "wrong by K");
  records.back()["diagnosis"]["notes"].push_back(
      {{"text", "every failing case has multi_group: two groups"}, {"clauses", 5}});
  EXPECT_TRUE(Has(GlanceOf(ViewOf(records), false), "wrong by K; every failing case has multi_group: two groups\n"));
}

TEST(Glance, NamesRanksThatDidNotStartAndCountsNoClause) {
  const Records records = Ended({RunRecord(), GroupEndRecord("start", "crash"), StartRecord("C-ZERO-001", "coverage"),
                                 ConfigurationRecord("C-ZERO-001", 3, "crash", 0), EndRecord("C-ZERO-001", "crash")},
                                "crash or hang", 4);
  EXPECT_EQ(GlanceOf(ViewOf(records), false),
            "start under local W=3: crash\n"
            "  after the last case rank 1 was killed by signal 6 (SIGABRT), it stood in shutdown\n"
            "crash or hang (exit code 4) after 2.5 s\n");
}

TEST(Glance, SaysWhyNothingFailedAndTheRunIsNoPass) {
  nlohmann::json few = ConfigurationRecord("C-ZERO-001", 3, "too_few", 2), idle = few;
  few["reason"] = "2 of 8 random cases ran";
  idle["result"] = "not_applicable";
  idle["reason"] = "needs: clip";
  const auto begin_of_glance = [](const nlohmann::json& record, const std::string& verdict, int exit_code) {
    const std::string glance = GlanceOf(ViewOf(Ended({RunRecord(), StartRecord("C-ZERO-001", "coverage"), record,
                                                      EndRecord("C-ZERO-001", record["result"])},
                                                     verdict, exit_code)),
                                        false);
    return glance.substr(0, glance.find('\n'));
  };
  EXPECT_EQ(begin_of_glance(few, "too few cases", 6), "Not checked enough: 2 of 8 random cases ran (C-ZERO-001)");
  EXPECT_EQ(begin_of_glance(idle, "nothing applicable", 77),
            "Not judged, missing in the subject or this run: clip (C-ZERO-001)");
}

TEST(Glance, CountsClausesWithACaseThatFailed) {
  Records records = ManyFailures(2);
  records.insert(records.end() - 1,
                 {StartRecord("C-ZERO-200", "rows"), ConfigurationRecord("C-ZERO-200", 1, "harness_error", 0),
                  EndRecord("C-ZERO-200", "harness_error")});
  EXPECT_EQ(VerdictSentence(ViewOf(Recounted(records))), "not conformant: 2 of 3 clauses failed");
}

}  // namespace
}  // namespace zerocts
