// Reports cannot lie: whatever a log holds, its JUnit counts are the log's, and nothing but a finished run without a
// blemish is green.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "conformance/report/ci/junit.hpp"
#include "conformance/report/log/record.hpp"
#include "conformance/report/log/test_records.hpp"
#include "conformance/report/terminal/table.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

json ExpectationRecord(const std::string& state) {
  return {{"record", "expectation"}, {"clause", "C-ZERO-001"},
          {"state", state},          {"reason", "its case passes"},
          {"message", "m"},          {"issue", ""},
          {"date", "2026-11-22"},    {"cases", 0}};
}
/// What an option left out is not applicable in a log, for a reason that names the option; what was not run is too few.
std::string InLog(Result result) {
  if (result == Result::kNotRun) return ToString(Result::kTooFew);
  return ToString(result == Result::kLeftOut ? Result::kNotApplicable : result);
}
std::string ReasonInLog(Result result) {
  return result == Result::kLeftOut ? std::string(kLeftOutBy) + "--ranks 3" : "";
}

bool IsExpectation(const json& record) { return record.at("record") == "expectation"; }
/// A log as a session writes it. `results`: what configurations may come to.
rc::Gen<Records> Logs(const std::vector<Result>& results) {
  return rc::gen::exec([results] {
    Records records = {{{"record", "run"}, {"seed", 1}, {"subject", {{"name", "toy"}, {"version", "1"}}}}};
    Result worst = Result::kNotApplicable;
    std::map<Result, int64_t> seen;
    int64_t exceptions = 0;
    const int clauses = *rc::gen::inRange(1, 5);
    for (int c = 0; c < clauses; ++c) {
      const std::string id = "C-ZERO-00" + std::to_string(c + 1);
      records.push_back({{"record", "clause_start"}, {"clause", id}, {"name", *rc::gen::arbitrary<std::string>()}});
      Result clause_worst = Result::kNotApplicable;
      const int configurations = *rc::gen::inRange(1, 6);
      for (int s = 0; s < configurations; ++s) {
        const Result result = *rc::gen::elementOf(results);
        clause_worst = Worst(clause_worst, result);
        ++seen[result];
        const json where = {
            {"clause", id}, {"launcher", s % 2 ? "mpirun" : "local"}, {"world_size", s + 1}, {"precision", "fp32"}};
        exceptions += result == Result::kExpected;
        if (result == Result::kExpected || (result > Result::kTooFew && result != Result::kHarnessError)) {
          json failure = where;
          if (result == Result::kExpected) failure["expected"] = {{"cases", 1}, {"issue", ""}};
          if (result == Result::kStale) failure["stale"] = true;
          failure.update(
              {{"record", "failure"},
               {"ending", result == Result::kFail || failure.contains("expected") || failure.contains("stale")
                              ? "observed"
                              : ToString(result)},
               {"sentence", *rc::gen::arbitrary<std::string>()},
               {"ranks", {{{"rank", 0}, {"state", "?"}, {"output", *rc::gen::arbitrary<std::string>()}}}}});
          records.push_back(failure);
        }
        json configuration = where;
        configuration.update({{"record", "configuration"},
                              {"cases", !IsAsked(result) ? 0 : *rc::gen::inRange(1, 100)},
                              {"seconds", 0.5},
                              {"result", InLog(result)},
                              {"reason", ReasonInLog(result)}});
        records.push_back(configuration);
      }
      records.push_back(
          {{"record", "clause_end"}, {"clause", id}, {"result", InLog(clause_worst)}, {"cases", 1}, {"seconds", 1.0}});
      worst = Worst(worst, clause_worst);
    }
    for (int64_t i = 0; i < exceptions; ++i) records.push_back(ExpectationRecord("held"));
    const Verdict verdict = VerdictOf({.configurations = seen, .worst_clause = worst, .exceptions = exceptions});
    return Ended(records, verdict.text, verdict.exit_code);
  });
}

rc::Gen<Records> AnyLogs() { return Logs({kAllResults.begin(), kAllResults.end()}); }
rc::Gen<Records> GreenLogs() { return Logs({Result::kPass}); }

/// Through the file, as `zerocts check` and `zerocts report` go.
Records WrittenAndRead(const Records& records) {
  const std::string path = testing::TempDir() + "report_truth_test." + std::to_string(getpid());
  {
    EventLog log(path);
    for (const json& record : records) log.Write(record);
  }
  Records read = ReadEventLog(path).records;
  unlink(path.c_str());
  return read;
}

int Count(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Attributes of the document element.
std::map<std::string, int> Attributes(const std::string& xml) {
  const size_t begin = xml.find("<testsuites ");
  const std::string head = xml.substr(begin, xml.find('>', begin) - begin);
  std::map<std::string, int> attributes;
  const std::regex pair(R"re((\w+)="(\d+)")re");
  for (std::sregex_iterator match(head.begin(), head.end(), pair), end; match != end; ++match) {
    attributes[(*match)[1]] = std::stoi((*match)[2]);
  }
  return attributes;
}

bool JUnitIsGreen(const Records& records) {
  const std::map<std::string, int> counts = Attributes(JUnitOf(ViewOf(records)));
  return counts.at("failures") == 0 && counts.at("errors") == 0 && counts.at("tests") > counts.at("skipped");
}
bool TableIsGreen(const Records& records) {
  return TableOf(ViewOf(records), false).find("\nconformant") != std::string::npos;
}

RC_GTEST_PROP(ReportTruth, JUnitCountsAreTheLogs, ()) {
  const Records records = WrittenAndRead(*AnyLogs());
  std::map<std::string, int> by_result;
  int configurations = 0;
  for (const json& record : records) {
    if (record.at("record") != "configuration") continue;
    ++configurations;
    ++by_result[record.at("result")];
  }
  const int skipped = by_result["not_applicable"] + by_result["self_reported"] + by_result["expected_failure"];
  const int failures = by_result["stale_expectation"] + by_result["fail"] + by_result["refused"] +
                       by_result["disagreement"] + by_result["too_few"];
  const int errors = configurations - by_result["pass"] - skipped - failures;

  const std::string xml = JUnitOf(ViewOf(records));
  const std::map<std::string, int> said = Attributes(xml);
  RC_ASSERT(said.at("tests") == configurations);
  RC_ASSERT(said.at("failures") == failures);
  RC_ASSERT(said.at("errors") == errors);
  RC_ASSERT(said.at("skipped") == skipped);
  RC_ASSERT(Count(xml, "<testcase ") == configurations);
  RC_ASSERT(Count(xml, "<failure ") == failures);
  RC_ASSERT(Count(xml, "<error ") == errors);
  RC_ASSERT(Count(xml, "<skipped ") == skipped);
}

RC_GTEST_PROP(ReportTruth, GreenIsExactlyAllPassed, ()) {
  const Records records = WrittenAndRead(*AnyLogs());
  const bool all_passed = records.back().at("exit_code") == 0;
  RC_ASSERT(TableIsGreen(records) == all_passed);
  const bool some_passed =
      std::any_of(records.begin(), records.end(), [](const json& r) { return r.value("result", "") == "pass"; });
  if (all_passed && some_passed) RC_ASSERT(JUnitIsGreen(records));
}

RC_GTEST_PROP(ReportTruth, EveryReportOfAGreenLogIsGreen, ()) {
  const Records records = WrittenAndRead(*GreenLogs());
  RC_ASSERT(TableIsGreen(records));
  RC_ASSERT(JUnitIsGreen(records));
}

RC_GTEST_PROP(ReportTruth, NoPrefixOfAGreenLogIsGreen, ()) {
  Records records = *GreenLogs();
  records.resize(*rc::gen::inRange<size_t>(0, records.size()));
  RC_ASSERT(!JUnitIsGreen(records));
  RC_ASSERT(!TableIsGreen(records));
  RC_ASSERT(TableOf(ViewOf(records), false).find("no verdict") != std::string::npos);
}

RC_GTEST_PROP(ReportTruth, AVerdictBetterThanItsConfigurationsIsNotBelieved, ()) {
  Records records = *GreenLogs();
  std::vector<size_t> configurations;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].at("record") == "configuration") configurations.push_back(i);
  }
  json& configuration = records[*rc::gen::elementOf(configurations)];
  if (*rc::gen::arbitrary<bool>()) {
    configuration["cases"] = 0;
  } else {
    const std::vector<Result> bad(std::find(kAllResults.begin(), kAllResults.end(), Result::kTooFew),
                                  kAllResults.end());
    configuration["result"] = ToString(*rc::gen::elementOf(bad));
  }
  if (*rc::gen::arbitrary<bool>()) records = Recounted(records);
  RC_ASSERT(!JUnitIsGreen(records));
  RC_ASSERT(!TableIsGreen(records));
}

RC_GTEST_PROP(ReportTruth, ExceptionsThatTheVerdictHidesAreNotBelieved, ()) {
  Records records = *Logs({Result::kPass, Result::kExpected});
  const bool any = std::ranges::any_of(records, IsExpectation);
  RC_ASSERT(TableIsGreen(records));
  records.back()["verdict"] = "conformant";
  RC_ASSERT(TableIsGreen(records) == !any);
}

RC_GTEST_PROP(ReportTruth, AStaleExpectationIsNotGreen, ()) {
  Records records = *GreenLogs();
  records.insert(records.end() - 1, ExpectationRecord("stale"));
  RC_ASSERT(!JUnitIsGreen(records));
  RC_ASSERT(!TableIsGreen(records));
}

RC_GTEST_PROP(ReportTruth, SkippedIsNotPassed, ()) {
  const Records records = *Logs({Result::kNotApplicable});
  RC_ASSERT(!JUnitIsGreen(records));
  RC_ASSERT(!TableIsGreen(records));
  const std::string xml = JUnitOf(ViewOf(records));
  RC_ASSERT(Count(xml, "<skipped ") == Count(xml, "<testcase "));
}

TEST(ReportTruth, ZeroCasesAreNotGreen) {
  const Records nothing_ran = Ended({{{"record", "run"}}}, "conformant", 0);
  EXPECT_FALSE(JUnitIsGreen(nothing_ran));
  EXPECT_FALSE(TableIsGreen(nothing_ran));
  EXPECT_FALSE(JUnitIsGreen({}));
  EXPECT_FALSE(TableIsGreen({}));
}

TEST(ReportTruth, CutOffRunSaysSo) {
  const std::string table = TableOf(ViewOf({RunRecord()}), false);
  EXPECT_NE(table.find("no verdict: the run was cut off"), std::string::npos) << table;
}

}  // namespace
}  // namespace zerocts
