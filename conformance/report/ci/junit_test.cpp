#include <gtest/gtest.h>

#include "conformance/report/ci/junit.hpp"
#include "conformance/report/log/test_records.hpp"

namespace zerocts {
namespace {

TEST(JUnit, CrashAfterTheLastCaseIsAnError) {
  Records records = Inserted(GreenRecords(), 4, GroupEndRecord("shutdown", "crash"));
  records.back()["verdict"] = "crash or hang";
  records.back()["exit_code"] = 4;
  const std::string xml = JUnitOf(ViewOf(records));
  EXPECT_NE(xml.find(R"(<testcase classname="shutdown" name="shutdown under local W=3")"), std::string::npos) << xml;
  EXPECT_NE(xml.find(R"(<testsuites name="zerocts" tests="2" failures="0" errors="1")"), std::string::npos) << xml;
}

TEST(JUnit, GreenRun) {
  const std::string xml = JUnitOf(ViewOf(GreenRecords()));
  EXPECT_TRUE(Has(xml, R"(<testsuites name="zerocts" tests="1" failures="0" errors="0" skipped="0" time="0.250">)"))
      << xml;
  EXPECT_TRUE(Has(xml, R"(<testsuite name="C-ZERO-001 shard coverage" tests="1")")) << xml;
  EXPECT_TRUE(Has(xml, R"(<testcase classname="C-ZERO-001" name="local W=3 fp32" time="0.250"/>)")) << xml;
}

TEST(JUnit, FailureSkippedAndMinimumAreKeptApart) {
  const std::string xml = JUnitOf(ViewOf(MixedRecords()));
  EXPECT_TRUE(Has(xml, R"(tests="5" failures="2" errors="0" skipped="1")")) << xml;
  EXPECT_TRUE(
      Has(xml, R"(<failure message="rank 2 owns nothing of w1 &lt;which&gt; has &amp; 7 elements" type="fail">)"))
      << xml;
  EXPECT_TRUE(Has(xml, R"(<skipped message="needs: accumulation"/>)")) << xml;
  EXPECT_TRUE(Has(xml, R"(name="clause")")) << xml;
  EXPECT_TRUE(
      Has(xml, R"(<failure message="features seen too rarely: zero_numel in 0 of 5 needed cases" type="too_few"/>)"))
      << xml;
}

TEST(JUnit, WhatIsSelfReportedIsSkippedAndSaysSo) {
  nlohmann::json self_reported = ConfigurationRecord("C-ZERO-001", 3, "self_reported");
  self_reported["reason"] = "the figures of these cases are self-reported";
  const Records records = {RunRecord(), StartRecord("C-ZERO-001", ""), self_reported,
                           EndRecord("C-ZERO-001", "self_reported")};
  const std::string xml = JUnitOf(ViewOf(Ended(records, "conformant", 0)));
  EXPECT_TRUE(Has(xml, R"(tests="1" failures="0" errors="0" skipped="1")")) << xml;
  EXPECT_TRUE(Has(xml, R"(<skipped message="the figures of these cases are self-reported" type="self_reported"/>)"))
      << xml;
}

TEST(JUnit, EachResultHasItsElement) {
  const std::pair<const char*, const char*> table[] = {
      {"fail", "failure"},     {"refused", "failure"}, {"disagreement", "failure"},
      {"too_few", "failure"},  {"crash", "error"},     {"hang", "error"},
      {"early_exit", "error"}, {"garbage", "error"},   {"harness_error", "error"}};
  for (const auto& [result, element] : table) {
    const Records records = {RunRecord(), StartRecord("C-ZERO-001", ""), ConfigurationRecord("C-ZERO-001", 2, result),
                             EndRecord("C-ZERO-001", result)};
    const std::string xml = JUnitOf(ViewOf(Ended(records, "not conformant", 1)));
    EXPECT_TRUE(Has(xml, std::string("<") + element + " message=")) << xml;
    EXPECT_TRUE(Has(xml, std::string("type=\"") + result + "\"")) << xml;
  }
}

TEST(JUnit, OutputOfRanksCannotBreakTheDocument) {
  const std::string xml = JUnitOf(ViewOf(MixedRecords()));
  EXPECT_TRUE(Has(xml, "hello \\x1B[31m red")) << xml;
  for (char c : xml) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
}

TEST(JUnit, CutOffRunHasAnError) {
  Records records = GreenRecords();
  records.pop_back();
  EXPECT_TRUE(Has(JUnitOf(ViewOf(records)), R"(<error message="the run was cut off)"));
  EXPECT_TRUE(Has(JUnitOf(ViewOf({})), R"(errors="1")"));
}

}  // namespace
}  // namespace zerocts
