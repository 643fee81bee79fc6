#include <gtest/gtest.h>

#include <sstream>

#include "conformance/report/html/run_html.hpp"
#include "conformance/report/log/test_records.hpp"
#include "conformance/report/terminal/table.hpp"

namespace zerocts {
namespace {

TEST(Table, GreenRun) {
  const std::string table = TableOf(ViewOf(GreenRecords()), false);
  EXPECT_TRUE(Has(table, "toy 1  launchers local mpirun  world sizes 1 3  seed 7")) << table;
  EXPECT_TRUE(Has(table, "other clauses       ok         1      10  pass\n")) << table;
  EXPECT_TRUE(Has(table, "\n1 clause judged, 10 cases; configurations: 1 pass\n")) << table;
  EXPECT_TRUE(table.ends_with("\nconformant: for 1 and 3 ranks (exit code 0) after 2.5 s\n")) << table;
}

TEST(Table, SaysWhichPairsWereNotDrawn) {
  Records records = GreenRecords();
  EXPECT_EQ(TableOf(ViewOf(records), false).find("pairs of"), std::string::npos);
  records.back()["pairs"] = {{"possible", 9}, {"missing", nlohmann::json::array()}};
  EXPECT_NE(TableOf(ViewOf(records), false).find("pairs of stage, plan, precision and mesh: 9 of 9 drawn\n"),
            std::string::npos);
  records.back()["pairs"]["missing"] = {"a + b", "c + d", "e + f", "g + h"};
  EXPECT_NE(TableOf(ViewOf(records), false).find("5 of 9 drawn; not a + b, c + d, e + f and 1 more"), std::string::npos)
      << TableOf(ViewOf(records), false);
  EXPECT_EQ(TableOf(ViewOf(records), false).find("clause by clause"), std::string::npos);
  records.back()["value_pairs"] = {{"met", 812}, {"possible", 940}};
  records.back()["pairs"]["missing"].clear();
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false), "812 of 940\n")) << TableOf(ViewOf(records), false);
}

TEST(Table, IsFollowedByWhatLoadingTheSubjectChanged) {
  const Records records = Inserted(GreenRecords(), 4, NoteRecord("MXCSR"));
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_TRUE(Has(table,
                  "1 pass\n\nNote: MXCSR (rank 0 under local W=1; ranks 1, 2 under local W=3; all ranks under mpirun "
                  "W=2)\n\nfamily"))
      << table;
}

TEST(Table, OneMarkPerCellTheWorstOfItsConfigurations) {
  nlohmann::json other = ConfigurationRecord("C-ZERO-001", 3, "hang");
  other["launcher"] = "mpirun";
  const std::string table = TableOf(ViewOf(Inserted(GreenRecords(), 3, other)), false, Detail::kAll);
  EXPECT_TRUE(Has(table, "  HANG      20          hang")) << table;
}

TEST(Table, ShowsFailuresMinimumsNeedsAndReasons) {
  const std::string table = TableOf(ViewOf(MixedRecords()), false, Detail::kAll);
  EXPECT_TRUE(Has(table, "C-ZERO-001 under local W=3 fp32: fail")) << table;
  EXPECT_TRUE(Has(table, "C-ZERO-001 shard coverage: Every element has one owner.")) << table;
  EXPECT_TRUE(Has(table, "  rank 2 owns nothing of w1 <which> has & 7 elements")) << table;
  EXPECT_TRUE(Has(table,
                  "zerocts replay out/cases/a.json \\\n    --subject plugin:./toy.so \\\n    --option 'comm=two words' "
                  "\\\n    --launcher local\n"))
      << table;
  EXPECT_TRUE(Has(table, "  | second")) << table;
  EXPECT_TRUE(Has(table, "zero_numel in 0 of 5 needed cases (C-ZERO-007)")) << table;
  EXPECT_FALSE(Has(table, "uneven in 9")) << table;
  EXPECT_TRUE(Has(table, "\nJudged without what is missing in the subject or this run:\n  accumulation (C-ZERO-001)\n"))
      << table;
  EXPECT_TRUE(Has(table, "\nNot tested by the suite yet:\n  missing gradients: a parameter without one (C-ZERO-007)\n"))
      << table;
  EXPECT_TRUE(Has(table, "\nnot conformant: 1 of 2 clauses failed (exit code 1)")) << table;
}

TEST(Table, CountsClausesThatWereNotApplicableApart) {
  Records records = GreenRecords();
  nlohmann::json unsupported = ConfigurationRecord("C-ZERO-007", 3, "not_applicable", 0);
  unsupported["reason"] = "needs: bf16";
  nlohmann::json end = EndRecord("C-ZERO-007", "not_applicable");
  end["needs"] = {"needs: bf16", "bf16_accumulation needs: bf16"};
  records.insert(records.end() - 1, {StartRecord("C-ZERO-007", "padding is not data"), unsupported, end});
  const std::string table = TableOf(ViewOf(records), false, Detail::kAll);
  EXPECT_TRUE(Has(table, "\n1 clause judged, 1 not applicable, 10 cases; configurations: 1 not applicable, 1 pass\n"))
      << table;
  EXPECT_TRUE(Has(table, "\nNot judged, missing in the subject or this run:\n  bf16 (C-ZERO-007)\n")) << table;
}

TEST(Table, SaysWhichOptionLeftAClauseOut) {
  Records records = GreenRecords();
  nlohmann::json left_out = ConfigurationRecord("C-ZERO-032", 3, "not_applicable", 0);
  left_out["reason"] = "left out by --optimizer adamw";
  nlohmann::json end = EndRecord("C-ZERO-032", "not_applicable");
  end["needs"] = {"left out by --optimizer adamw", "clip_active needs: clip"};
  records.insert(records.end() - 1, {StartRecord("C-ZERO-032", "clipping effective"), left_out, end});
  for (const Detail detail : {Detail::kAll, Detail::kSummary}) {
    const std::string table = TableOf(ViewOf(records), false, detail);
    EXPECT_TRUE(Has(table, "\n1 clause judged, 1 left out by options, 10 cases; configurations: 1 left out, 1 pass\n"))
        << table;
    EXPECT_FALSE(Has(table, "not applicable")) << table;
    EXPECT_FALSE(Has(table, "missing in the subject")) << table;
  }
  const std::string table = TableOf(ViewOf(records), false, Detail::kAll);
  EXPECT_TRUE(Has(table, "   out       0          left out by --optimizer adamw\n")) << table;
  EXPECT_TRUE(Has(table, "    out  left out by an option of this run\n")) << table;
  EXPECT_TRUE(Has(table, "\nLeft out by options of this run:\n  --optimizer adamw (C-ZERO-032)\n")) << table;
}

TEST(Table, NamesOfAClauseThatWasNotJudgedWhatKeptItFromIt) {
  Records records = GreenRecords();
  nlohmann::json fp32 = ConfigurationRecord("C-ZERO-032", 3, "not_applicable", 0), bf16 = fp32;
  fp32["reason"] = "needs: clip";
  bf16["reason"] = "needs: bf16";
  bf16["precision"] = "bf16";
  nlohmann::json end = EndRecord("C-ZERO-032", "not_applicable");
  end["needs"] = {"needs: clip", "needs: bf16", "fp16 gradients", "clip_active needs: clip",
                  "multi_group needs: groups"};
  records.insert(records.end() - 1, {StartRecord("C-ZERO-032", "clipping effective"), fp32, bf16, end});
  const std::string table = TableOf(ViewOf(records), false, Detail::kAll);
  EXPECT_TRUE(Has(table, "\nNot judged, missing in the subject or this run:\n  clip (C-ZERO-032)\n")) << table;
  EXPECT_FALSE(Has(table, "bf16 (")) << "with bf16 it would still lack clip: " << table;
  EXPECT_FALSE(Has(table, "groups (")) << table;
  EXPECT_TRUE(Has(table, "\nNot tested by the suite yet:\n  fp16 gradients (C-ZERO-032)\n")) << table;
}

TEST(Table, ClausesWithoutACaseWereNotJudged) {
  const Records records =
      Ended({RunRecord(), StartRecord("C-ZERO-001", "shard coverage"), FailureRecord("C-ZERO-001", 3, "crash"),
             ConfigurationRecord("C-ZERO-001", 3, "crash", 0), EndRecord("C-ZERO-001", "crash")},
            "crash or hang", 4);
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_TRUE(Has(table, "\n0 clauses judged, 1 without a case, 0 cases; configurations: 1 crash\n")) << table;
  EXPECT_FALSE(Has(table, "profiles")) << table;
}

TEST(Table, NamesWhatIsSelfReported) {
  Records records = GreenRecords();
  nlohmann::json self_reported = ConfigurationRecord("C-ZERO-100", 3, "self_reported");
  self_reported["reason"] = "the figures of these cases are self-reported";
  records.insert(records.end() - 1,
                 {StartRecord("C-ZERO-100", "traffic"), self_reported, EndRecord("C-ZERO-100", "self_reported")});
  const std::string table = TableOf(ViewOf(Recounted(records)), false, Detail::kAll);
  EXPECT_TRUE(Has(table, "\n2 clauses judged, 1 self-reported, 20 cases; configurations: 1 pass, 1 self-reported\n"))
      << table;
  EXPECT_TRUE(Has(table,
                  "\nSelf-reported:\n  the figures of these cases are self-reported under local "
                  "(C-ZERO-100)\n"))
      << table;
  EXPECT_TRUE(Has(table, "self  passed, by self-reported figures")) << table;
}

TEST(Table, WhatASubjectRefusesIsNoGapOfTheSuite) {
  Records records = GreenRecords();
  nlohmann::json refused = ConfigurationRecord("C-ZERO-001", 4, "not_applicable", 0);
  refused["reason"] = "UNIMPLEMENTED: no such mesh";
  records[3]["needs"] = {refused["reason"], "fp16"};
  const std::string table = TableOf(ViewOf(Inserted(records, 3, refused)), false, Detail::kAll);
  EXPECT_TRUE(Has(table, "\nNot applicable to this subject:\n  UNIMPLEMENTED: no such mesh (C-ZERO-001)\n")) << table;
  EXPECT_TRUE(Has(table, "\nNot tested by the suite yet:\n  fp16 (C-ZERO-001)\n")) << table;
}

TEST(Table, SaysWhatAWatchedRunDidNotShow) {
  Records records = GreenRecords();
  nlohmann::json unseen = ConfigurationRecord("C-LIVE-003", 3, "not_applicable", 0);
  unseen["reason"] = "not seen: no parameter is sharded";
  records.insert(records.end() - 1,
                 {StartRecord("C-LIVE-003", "tiling"), unseen, EndRecord("C-LIVE-003", "not_applicable")});
  for (const Detail detail : {Detail::kAll, Detail::kSummary}) {
    const std::string table = TableOf(ViewOf(records), false, detail);
    EXPECT_TRUE(Has(table, "\nNot seen in this run:\n  no parameter is sharded (C-LIVE-003)\n")) << table;
    EXPECT_FALSE(Has(table, "Not applicable to this subject")) << table;
  }
}

TEST(Table, NamesTheReproducerOrSaysWhyThereIsNone) {
  Records records = MixedRecords();
  EXPECT_FALSE(Has(TableOf(ViewOf(records), false), "reproduce"));
  records[3]["reproducer"] = {{"file", "out/a b.py"}, {"python", "/env/bin/python"}, {"ranks", {3, 2}}};
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false),
                  "reproduce /env/bin/python \\\n    -m torch.distributed.run --standalone --nproc-per-node 3 \\\n    "
                  "'out/a b.py' &&\n    /env/bin/python \\\n    "
                  "-m torch.distributed.run --standalone --nproc-per-node 2 \\\n    'out/a b.py'\n"))
      << TableOf(ViewOf(records), false);
  records[3]["reproducer"] = {{"reason", "no template shows bf16"}};
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false), "reproduce none: no template shows bf16\n"));
}

TEST(Table, FitsAHundredColumnsAndHasEscapesOnlyInColor) {
  Records records = MixedRecords();
  records[1]["name"] = std::string(50, 'n') + " " + std::string(90, 'n');
  records[3]["sentence"] =
      "many words " + std::string(30, 'a') + " " + std::string(60, 'b') + " " + std::string(40, 'c');
  for (int world_size = 5; world_size <= 8; ++world_size) {
    records = Inserted(records, 3, ConfigurationRecord("C-ZERO-001", world_size, "disagreement"));
  }
  std::istringstream lines(TableOf(ViewOf(records), false) + TableOf(ViewOf(records), false, Detail::kAll));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
  }
  EXPECT_NE(TableOf(ViewOf(records), true).find("\x1b["), std::string::npos);
}

TEST(Table, HeadingNamesTheRanksOfTheCaseThatItShows) {
  Records records = MixedRecords();
  records[3]["case"] = {{"experiment", {{"world_size", 1}}}};
  EXPECT_TRUE(
      Has(TableOf(ViewOf(records), false), "\nC-ZERO-001 under local W=1 fp32 (found with W=3, then shrunk): fail\n"));
}

TEST(Table, CountsTheCasesThatAskedWhatTheClauseIsAbout) {
  Records records = GreenRecords();
  records[1]["essential"] = {{"accumulation"}, {"bf16", "bf16_accumulation"}};
  records[3]["asked"] = {{"cases", 4}, {"features", {{"accumulation", 7}, {"bf16", 3}, {"bf16_accumulation", 2}}}};
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false, Detail::kAll), "    ok      10       4  pass\n"));
  const ClauseView clause = ViewOf(records).clauses.at(0);
  EXPECT_EQ(clause.asked->Text(), "accumulation 7, bf16 3, bf16_accumulation 2");
  EXPECT_TRUE(Has(HtmlOf(ViewOf(records)), "<abbr title=\"accumulation 7, bf16 3, bf16_accumulation 2\">4</abbr>"));
}

TEST(Table, APassWithoutBeingAskedProvesNoVerdict) {
  Records records = GreenRecords();
  records[3]["asked"] = {{"cases", 0}, {"features", {{"mesh", 0}}}};
  const RunView view = ViewOf(records);
  EXPECT_EQ(view.clauses.at(0).result, Result::kTooFew);
  EXPECT_TRUE(Has(TableOf(view, false), "\nno verdict: run_end says conformant")) << TableOf(view, false);
  EXPECT_TRUE(Has(TableOf(view, false), "no case had what the clause is about (C-ZERO-001)\n")) << TableOf(view, false);
}

TEST(Table, NamesProfilesInFullInPartAndNotClaimed) {
  Records records = GreenRecords();
  records[0]["profiles"] = {{{"name", "zero-1"}, {"feature", ""}, {"clauses", {"C-ZERO-001"}}},
                            {{"name", "zero-2"}, {"feature", ""}, {"clauses", {"C-ZERO-001", "C-ZERO-002"}}},
                            {{"name", "cost"}, {"feature", ""}, {"clauses", {"C-ZERO-100"}}}};
  records[0]["suite_clauses"] = 56;
  records.back()["verdict"] = "conformant; 1 of 56 clauses judged; profiles reached: zero-1";
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_TRUE(Has(table, "\nconformant: 1 of 56 clauses, for 1 and 3 ranks (exit code 0)")) << table;
  EXPECT_TRUE(Has(table, "\nprofiles in full: zero-1; in part: zero-2 (1 of 2); not claimed: cost\n")) << table;
  EXPECT_TRUE(Has(HtmlOf(ViewOf(records)), "in part: zero-2 (1 of 2)</li>"));
  records[0]["required"] = {"cost"};
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false), "no verdict")) << "what was required is not reached";
}

TEST(TableSummary, HasARowPerFamily) {
  const std::string table = TableOf(ViewOf(ManyFailures(5)), false);
  EXPECT_TRUE(Has(table, "\ncost              FAIL  FAIL  FAIL         5     150  fail in 5 of 5\n")) << table;
}

TEST(TableSummary, CountsClausesInLongListsInsteadOfNamingThem) {
  const std::string table = TableOf(ViewOf(ManyFailures(5)), false);
  EXPECT_TRUE(Has(table, "\nJudged without what is missing in the subject or this run: bf16 (5 clauses)\n")) << table;
  EXPECT_TRUE(Has(table, "Not tested by the suite yet: fp16 (5 clauses) and 5 more (--verbose names them)\n")) << table;
  EXPECT_TRUE(
      Has(TableOf(ViewOf(ManyFailures(3)), false), "yet: fp16 (C-ZERO-101, C-ZERO-102, C-ZERO-103) and 3 more"));
}

TEST(TableSummary, NamesAFewThingsThatConcernOneClauseEach) {
  Records records = GreenRecords();
  records[3]["needs"] = {"a", "b"};
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false), "Not tested by the suite yet: a (C-ZERO-001), b (C-ZERO-001)\n"));
  records[3]["needs"] = {"a", "b", "c", "d"};
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false), "Not tested by the suite yet: 4 things (--verbose names them)\n"));
}

TEST(TableSummary, WhyTheVerdictIsBadIsNeverShortened) {
  EXPECT_TRUE(
      Has(TableOf(ViewOf(MixedRecords()), false),
          "\nNot checked enough:\n  features seen too rarely: zero_numel in 0 of 5 needed cases (C-ZERO-007)\n"));
}

TEST(TableSummary, SaysHowManyConfigurationsWerePlanned) {
  Records records = GreenRecords();
  records.front()["clauses"] = {"C-ZERO-001"};
  records.front()["launchers"] = {"local"};
  records.front()["world_sizes"] = {3};
  records.front()["precisions"] = {"fp32"};
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false), "configurations: 1 pass, 1 planned\n"));
}

TEST(Table, TellsHowAGroupEnded) {
  Records records = Inserted(GreenRecords(), 4, GroupEndRecord("shutdown", "crash"));
  records.back()["verdict"] = "crash or hang";
  records.back()["exit_code"] = 4;
  const std::string table = TableOf(ViewOf(records), false);
  EXPECT_TRUE(Has(table,
                  "\nshutdown under local W=3: crash\n  after the last case rank 1 was killed by signal 6 (SIGABRT), "
                  "it stood in shutdown\n"))
      << table;
  EXPECT_TRUE(Has(table, "| terminate called")) << table;
  EXPECT_TRUE(Has(table, "\ncrash or hang (exit code 4)")) << table;
}

TEST(Table, CutOffRunHasNoVerdict) {
  Records records = GreenRecords();
  records.pop_back();
  EXPECT_TRUE(Has(TableOf(ViewOf(records), false), "\nno verdict: the run was cut off"));
  EXPECT_FALSE(Has(TableOf(ViewOf(records), false), "conformant"));
  EXPECT_TRUE(Has(TableOf(ViewOf({}), false), "no verdict"));
}

}  // namespace
}  // namespace zerocts
