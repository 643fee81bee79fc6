// zerocts report and zerocts diff over runs of zerocts check.
#include <algorithm>

#include "conformance/cli/program_for_test.hpp"

namespace zerocts {
namespace {

constexpr const char* kCheck = "check C-ZERO-001 --launcher threads --precision fp32 --cases 60 ";

TEST_F(Program, ReportWritesEveryFormThatIsAskedFor) {
  ASSERT_EQ(Run(std::string(kCheck) + "--ranks 2,3 --out run").exit_code, 0);
  EXPECT_TRUE(Has(Contents(folder() / "run/report.html"), "<h1><i aria-hidden=\"true\">\u2713</i>conformant: 1 of "));
  const Ended ended = Run("report run --junit a.xml --ctrf a.json --badge badge.json --html a.html");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "a.xml\na.json\nbadge.json\na.html\n");
  EXPECT_TRUE(Has(Contents(folder() / "a.json"), "\"reportFormat\": \"CTRF\""));
  EXPECT_TRUE(Has(Contents(folder() / "badge.json"), "\"schemaVersion\": 1"));
  EXPECT_EQ(Contents(folder() / "a.html"), Contents(folder() / "run/report.html"));
}

TEST_F(Program, ReportWritesItsPageBesideTheLogWhereNoFileIsNamed) {
  ASSERT_EQ(Run(std::string(kCheck) + "--ranks 2 --out run").exit_code, 0);
  fs::remove(folder() / "run/report.html");
  const Ended ended = Run("report run --html");
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "run/report.html\n");
  EXPECT_TRUE(fs::exists(folder() / "run/report.html"));
}

TEST_F(Program, CheckIsShortAndVerboseIsWhole) {
  const Ended brief = Run(std::string(kCheck) + "--ranks 2,3 --out run");
  const Ended whole = Run(std::string(kCheck) + "--ranks 2,3 --out whole --verbose");
  EXPECT_TRUE(Has(brief.out, "\nownership ")) << brief.out;
  EXPECT_FALSE(Has(brief.out, "shard coverage")) << brief.out;
  EXPECT_TRUE(Has(whole.out, "C-ZERO-001  shard coverage")) << whole.out;
  EXPECT_FALSE(Has(brief.out, "\x1b[")) << "no escapes into a file";
  const auto lines = std::count(brief.out.begin(), brief.out.end(), '\n');
  EXPECT_LE(lines, 22) << brief.out;
  const size_t files = brief.out.find("\nresults: "), verdict = brief.out.find("\nconformant: ");
  ASSERT_LT(files, verdict) << "the verdict stands last\n" << brief.out;
  EXPECT_EQ(Run("report run").out, brief.out.substr(0, files) + brief.out.substr(verdict));
  EXPECT_EQ(Run("report run --verbose").out.substr(0, 40), whole.out.substr(0, 40));
}

TEST_F(Program, DiffOfRunsFindsWhatIsLost) {
  ASSERT_EQ(Run(std::string(kCheck) + "--ranks 2,3 --out both").exit_code, 0);
  ASSERT_EQ(Run(std::string(kCheck) + "--ranks 2 --out one").exit_code, 0);
  const Ended same = Run("diff both both/results.ndjson");
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_TRUE(Has(
      same.out,
      "\nnothing worse: configurations: 0 newly failing, 0 lost, 0 newly passing, 0 new, 0 revised, 0 still failing, 2 "
      "still passing\n"))
      << same.out;
  const Ended lost = Run("diff both one");
  EXPECT_EQ(lost.exit_code, 1) << lost.out;
  EXPECT_TRUE(Has(lost.out,
                  "lost (asked or seen before, and not now): 1\n  C-ZERO-001 shard coverage: pass, now not asked under "
                  "threads W=3 fp32\n"))
      << lost.out;
  EXPECT_EQ(Run("diff one both").exit_code, 0);
  const Ended since = Run("report one --since both");
  EXPECT_EQ(since.exit_code, 0) << "the exit code stays the verdict's";
  EXPECT_LT(since.out.find("\nChanges since both\n"), since.out.find("\nconformant: ")) << since.out;
  EXPECT_EQ(Run("report one --since both --html a.html").exit_code, 0);
  EXPECT_TRUE(Has(Contents(folder() / "a.html"), "Changed since an earlier run"));
}

TEST_F(Program, ReportSaysWhatALogDoesNotProve) {
  ASSERT_EQ(Run(std::string(kCheck) + "--ranks 2 --out run").exit_code, 0);
  const std::string log = Contents(folder() / "run/results.ndjson");
  Put("cut.ndjson", log.substr(0, log.rfind('\n', log.size() - 2) + 1));
  const Ended since = Run("report run --since cut.ndjson");
  EXPECT_EQ(since.exit_code, 3) << since.out;
  EXPECT_TRUE(Has(since.out, "no verdict of the earlier run: the run was cut off")) << since.out;
  EXPECT_FALSE(Has(since.out, "nothing worse")) << since.out;
  EXPECT_EQ(Run("report run --since cut.ndjson --html a.html").exit_code, 3);
}

TEST_F(Program, DiffOfTwoKindsIsAUsageError) {
  ASSERT_EQ(Run(std::string(kCheck) + "--ranks 2 --out run").exit_code, 0);
  ASSERT_EQ(Run("train --model tiny --steps 1 --trace trace.ndjson").exit_code, 0);
  const Ended ended = Run("diff run trace.ndjson");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_TRUE(
      Has(ended.err, "got run, which is a run of zerocts check, and trace.ndjson, which is a trace of zerocts train"))
      << ended.err;
  const Ended neither = Run("diff run plain.txt");
  EXPECT_EQ(neither.exit_code, 2);
  EXPECT_TRUE(Has(neither.err, "plain.txt, which is neither")) << neither.err;
}

TEST_F(Program, DiffSaysThatALogProvesNothing) {
  ASSERT_EQ(Run(std::string(kCheck) + "--ranks 2 --out run").exit_code, 0);
  const std::string log = Contents(folder() / "run/results.ndjson");
  Put("cut.ndjson", log.substr(0, log.rfind('\n', log.size() - 2) + 1));
  const Ended ended = Run("diff run cut.ndjson");
  EXPECT_EQ(ended.exit_code, 3) << ended.out;
  EXPECT_TRUE(Has(ended.out, "no verdict of the later run: the run was cut off")) << ended.out;
}

}  // namespace
}  // namespace zerocts
