// JUnit XML from the event log. Every count attribute is counted from the test cases that are written.
#include <fmt/format.h>

#include "conformance/report/failure_text.hpp"
#include "conformance/report/reports.hpp"
#include "conformance/report/text.hpp"

namespace zerocts {
namespace {

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  Counts& operator+=(const Counts& other) {
    tests += other.tests, failures += other.failures, errors += other.errors, skipped += other.skipped;
    seconds += other.seconds;
    return *this;
  }
  std::string Attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", tests, failures, errors,
                       skipped, seconds);
  }
};

struct Suite {
  std::string name, body;
  Counts counts;

  void Add(const std::string& classname, const std::string& name, double seconds, Result result,
           const std::string& message, const std::string& text) {
    ++counts.tests;
    counts.seconds += seconds;
    body += fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")", XmlAttribute(classname),
                        XmlAttribute(name), seconds);
    if (result == Result::kPass) {
      body += "/>\n";
      return;
    }
    body += fmt::format(">\n      <{} message=\"{}\"", CountedElement(result), XmlAttribute(message));
    if (result != Result::kUnsupported) body += fmt::format(" type=\"{}\"", ToString(result));
    body += text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", XmlText(text), ElementOf(result));
    body += "    </testcase>\n";
  }

 private:
  static std::string ElementOf(Result result) {
    switch (result) {
      case Result::kUnsupported:
      case Result::kExpected: return "skipped";
      case Result::kStale:
      case Result::kFail:
      case Result::kRefused:
      case Result::kDisagreement:
      case Result::kTooFew: return "failure";
      default: return "error";
    }
  }
  std::string CountedElement(Result result) {
    const std::string element = ElementOf(result);
    ++(element == "skipped" ? counts.skipped : element == "failure" ? counts.failures : counts.errors);
    return element;
  }
};

void AddStratum(const ClauseView& clause, const StratumView& stratum, Suite& suite) {
  std::string message = stratum.reason;
  std::vector<std::string> texts;
  if (!stratum.failures.empty()) texts.push_back(fmt::format("{} demands: {}\n", clause.id, clause.sentence));
  for (const nlohmann::json& failure : stratum.failures) {
    if (message.empty()) message = failure.value("sentence", "");
    texts.push_back(FailureText(failure));
  }
  for (const nlohmann::json& failure : stratum.expected) {
    if (message.empty()) message = fmt::format("expected failure: {}", failure.value("sentence", ""));
    texts.push_back(FailureText(failure));
  }
  if (message.empty()) message = ToString(stratum.result);
  suite.Add(clause.id, stratum.name(), stratum.seconds, stratum.result, message,
            fmt::format("{}", fmt::join(texts, "\n")));
}

Suite SuiteOf(const ClauseView& clause) {
  Suite suite{.name = clause.name.empty() ? clause.id : clause.id + " " + clause.name};
  for (const StratumView& stratum : clause.strata) AddStratum(clause, stratum, suite);
  if (!clause.StrataExplainResult()) {
    const Result result = clause.ended ? clause.result : Result::kHarnessError;
    suite.Add(clause.id, "clause", 0, result, clause.Complaint(), "");
  }
  return suite;
}

/// Those that no longer hold fail; what the others excuse stands with its clause.
Suite SuiteOf(const std::vector<ExpectationView>& expectations) {
  Suite suite{.name = "expectations"};
  for (const ExpectationView& expectation : expectations) {
    if (expectation.stale())
      suite.Add(expectation.clause, expectation.Text(), 0, Result::kStale, expectation.reason, "");
  }
  return suite;
}

/// Those that did not start or end as they should.
Suite SuiteOf(const std::vector<GroupEndView>& group_ends) {
  Suite suite{.name = "groups of ranks"};
  for (const GroupEndView& end : group_ends) {
    suite.Add(end.phase, end.name(), 0, end.result, end.record.value("sentence", ""), FailureText(end.record));
  }
  return suite;
}

}  // namespace

std::string JUnitOf(const RunView& view) {
  std::vector<Suite> suites;
  for (const ClauseView& clause : view.clauses) suites.push_back(SuiteOf(clause));
  if (const Suite stale = SuiteOf(view.expectations); stale.counts.tests > 0) suites.push_back(stale);
  if (const Suite groups = SuiteOf(view.group_ends); groups.counts.tests > 0) suites.push_back(groups);
  if (const std::string objection = view.Objection(); !objection.empty()) {
    suites.push_back({.name = "run"});
    suites.back().Add("run", "verdict", 0, Result::kHarnessError, objection, "");
  }

  Counts total;
  std::string body;
  for (const Suite& suite : suites) {
    total += suite.counts;
    body += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", XmlAttribute(suite.name),
                        suite.counts.Attributes(), suite.body);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"zerocts\" {}>\n{}</testsuites>\n",
                     total.Attributes(), body);
}

}  // namespace zerocts
