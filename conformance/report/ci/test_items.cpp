#include "conformance/report/ci/test_items.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/cases/case/counted.hpp"
#include "conformance/report/terminal/failure_text.hpp"

namespace zerocts {
namespace {

TestItem ItemOf(const ClauseView& clause, const ConfigurationView& configuration) {
  if (configuration.result == Result::kPass)
    return {clause.id, configuration.name(), configuration.seconds, configuration.result, "", ""};
  std::string message = configuration.reason;
  std::vector<std::string> texts;
  if (!configuration.failures.empty()) texts.push_back(fmt::format("{} requires: {}\n", clause.id, clause.sentence));
  for (const nlohmann::json& failure : configuration.failures) {
    if (message.empty()) message = failure.value("sentence", "");
    texts.push_back(FailureText(failure));
  }
  for (const nlohmann::json& failure : configuration.expected) {
    if (message.empty()) message = fmt::format("expected failure: {}", failure.value("sentence", ""));
    texts.push_back(FailureText(failure));
  }
  if (message.empty()) message = ToString(configuration.result);
  return {clause.id,
          configuration.name(),
          configuration.seconds,
          configuration.result,
          message,
          fmt::format("{}", fmt::join(texts, "\n"))};
}

TestSuite SuiteOf(const ClauseView& clause) {
  TestSuite suite{.name = clause.name.empty() ? clause.id : clause.id + " " + clause.name, .items = {}};
  for (const ConfigurationView& configuration : clause.configurations)
    suite.items.push_back(ItemOf(clause, configuration));
  if (!clause.ConfigurationsExplainResult()) {
    const Result result = clause.ended ? clause.result : Result::kHarnessError;
    suite.items.push_back({clause.id, "clause", 0, result, clause.Complaint(), ""});
  }
  return suite;
}

/// Those that no longer hold fail; what the others excuse stands with its clause.
TestSuite SuiteOf(const std::vector<ExpectationView>& expectations) {
  TestSuite suite{.name = "expectations", .items = {}};
  for (const ExpectationView& expectation : expectations) {
    if (!expectation.stale()) continue;
    suite.items.push_back({expectation.clause, expectation.Text(), 0, Result::kStale, expectation.reason, ""});
  }
  return suite;
}

/// Those that did not start or end as they should.
TestSuite SuiteOf(const std::vector<GroupEndView>& group_ends) {
  TestSuite suite{.name = "groups of ranks", .items = {}};
  for (const GroupEndView& end : group_ends) {
    suite.items.push_back(
        {end.phase, end.name(), 0, end.result, end.record.value("sentence", ""), FailureText(end.record)});
  }
  return suite;
}

/// A run that ended early is not green, whatever it judged.
TestSuite SuiteOfEarlyEnd(const RunView& view) {
  const int64_t not_run = view.Count(Result::kNotRun);
  if (not_run == 0 && view.interrupted.empty()) return {.name = "run", .items = {}};
  const std::string message = fmt::format("{}; not run: {}", view.verdict.text, Counted(not_run, "clause"));
  return {.name = "run", .items = {{"run", "end", 0, Result::kTooFew, message, ""}}};
}

}  // namespace

std::vector<TestSuite> TestSuitesOf(const RunView& view) {
  std::vector<TestSuite> suites;
  for (const ClauseView& clause : view.clauses) suites.push_back(SuiteOf(clause));
  if (TestSuite stale = SuiteOf(view.expectations); !stale.items.empty()) suites.push_back(std::move(stale));
  if (TestSuite groups = SuiteOf(view.group_ends); !groups.items.empty()) suites.push_back(std::move(groups));
  if (TestSuite early = SuiteOfEarlyEnd(view); !early.items.empty()) suites.push_back(std::move(early));
  if (const std::string objection = view.Objection(); !objection.empty())
    suites.push_back({"run", {{"run", "verdict", 0, Result::kHarnessError, objection, ""}}});
  return suites;
}

Outcome OutcomeOf(Result result) {
  switch (result) {
    case Result::kPass: return Outcome::kPassed;
    case Result::kNotApplicable:
    case Result::kLeftOut:
    case Result::kSelfReported:
    case Result::kNotRun:
    case Result::kExpected: return Outcome::kSkipped;
    case Result::kStale:
    case Result::kFail:
    case Result::kRefused:
    case Result::kDisagreement:
    case Result::kTooFew: return Outcome::kFailure;
    default: return Outcome::kError;
  }
}

}  // namespace zerocts
