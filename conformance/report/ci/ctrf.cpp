// CTRF (Common Test Report Format, ctrf.io): the test cases of a run as JSON. Times are in milliseconds.
#include "conformance/report/ci/ctrf.hpp"

#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/report/ci/test_items.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

using nlohmann::json;

constexpr const char* kSpecVersion = "0.0.0";  // of its schema; this is what its own tools write

int64_t Milliseconds(double seconds) { return std::llround(seconds * 1000); }

/// "2026-11-24T16:10:00Z" as milliseconds since 1970; 0: the log does not say.
int64_t StartOf(const RunView& view) {
  if (!view.run.is_object()) return 0;
  std::tm time{};
  const char* rest = strptime(view.run.value("started", "").c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  return rest ? int64_t{1000} * timegm(&time) : 0;
}

const char* StatusOf(Result result) {
  switch (OutcomeOf(result)) {
    case Outcome::kPassed: return "passed";
    case Outcome::kSkipped: return "skipped";
    default: return "failed";  // a crash and an error of the harness too: "other" would turn no check red
  }
}

json TestOf(const TestItem& item, const std::string& suite) {
  json test = {{"name", Printable(item.group + " " + item.name)},
               {"status", StatusOf(item.result)},
               {"rawStatus", ToString(item.result)},
               {"duration", Milliseconds(item.seconds)},
               {"suite", json::array({Printable(suite)})}};
  if (!item.message.empty()) test["message"] = Printable(item.message);
  if (!item.text.empty()) test["trace"] = Printable(item.text);
  return test;
}

}  // namespace

std::string CtrfOf(const RunView& view) {
  std::map<std::string, int64_t> counts;
  json tests = json::array();
  const std::vector<TestSuite> suites = TestSuitesOf(view);
  for (const TestSuite& suite : suites) {
    for (const TestItem& item : suite.items) {
      tests.push_back(TestOf(item, suite.name));
      ++counts[StatusOf(item.result)];
    }
  }
  const int64_t start = StartOf(view);
  const int64_t duration = view.end ? Milliseconds(view.end->value("seconds", 0.0)) : 0;
  const std::string objection = view.Objection();
  const json summary = {{"tests", tests.size()},
                        {"passed", counts["passed"]},
                        {"failed", counts["failed"]},
                        {"skipped", counts["skipped"]},
                        {"pending", 0},
                        {"other", 0},
                        {"suites", suites.size()},
                        {"start", start},
                        {"stop", start + duration},
                        {"duration", duration},
                        {"extra",
                         {{"verdict", Printable(objection.empty() ? view.verdict.text : "no verdict: " + objection)},
                          {"exit_code", view.exit_code()}}}};
  const json tool = {{"name", "zerocts"}, {"version", view.run.is_object() ? view.run.value("version", "") : ""}};
  const json environment = {{"appName", Printable(view.subject_name())},
                            {"appVersion", Printable(view.subject_version())}};
  return json{{"reportFormat", "CTRF"},
              {"specVersion", kSpecVersion},
              {"generatedBy", "zerocts report"},
              {"results", {{"tool", tool}, {"summary", summary}, {"tests", tests}, {"environment", environment}}}}
             .dump(2) +
         '\n';
}

}  // namespace zerocts
