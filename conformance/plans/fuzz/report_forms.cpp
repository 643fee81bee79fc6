// The report for programs, and for CI.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/plans/fuzz/report.hpp"
#include "conformance/report/words/text.hpp"
#include "reference/experiment/json_dump.hpp"

namespace zerocts {
namespace {

using nlohmann::ordered_json;

ordered_json ToJson(const SavedRun& run, const FuzzProperty& property) {
  ordered_json object = {{"property", property.name}, {"cases", run.Judged(property.name)}, {"broken", false}};
  for (size_t i = 0; i < run.counterexamples.size(); ++i) {
    const Counterexample& found = run.outcome.counterexamples[i];
    if (found.property != property.name) continue;
    object["broken"] = true;
    object["what"] = found.what;
    object["request"] = run.counterexamples[i].request;
    if (!run.counterexamples[i].plan.empty()) object["plan"] = run.counterexamples[i].plan;
  }
  return object;
}

std::string CaseOf(const std::string& planner, const std::string& name, const std::string& failure, bool skipped) {
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", XmlAttribute(planner), XmlAttribute(name));
  if (!failure.empty())
    return text + fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n", XmlAttribute(failure));
  return text + (skipped ? ">\n      <skipped/>\n    </testcase>\n" : "/>\n");
}

}  // namespace

std::string FuzzJson(const SavedRun& run) {
  const FuzzOutcome& outcome = run.outcome;
  ordered_json object = {{"planner", run.options.planner}, {"exit_code", run.exit_code()},
                         {"seed", run.options.seed},       {"cases", outcome.cases},
                         {"refused", outcome.refused},     {"plans", outcome.answers},
                         {"seconds", outcome.seconds},     {"properties", ordered_json::array()}};
  for (const FuzzProperty& property : run.settings.properties) object["properties"].push_back(ToJson(run, property));
  if (outcome.end)
    object["end"] = {{"what", outcome.end->what}, {"hung", outcome.end->hung}, {"request", run.end.request}};
  return Dumped(object, 2) + "\n";
}

std::string FuzzJUnit(const SavedRun& run) {
  std::string cases;
  size_t skipped = 0;
  for (const FuzzProperty& property : run.settings.properties) {
    const Counterexample* found = run.Found(property.name);
    const bool asked_nothing = !found && run.Judged(property.name) == 0;
    skipped += asked_nothing;
    cases += CaseOf(run.options.planner, property.name, found ? SentenceOf(*found) : "", asked_nothing);
  }
  cases += CaseOf(run.options.planner, "answers every request",
                  run.outcome.end ? "the planner " + run.outcome.end->what : "", false);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"zerocts plan fuzz\">\n"
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      XmlAttribute(run.options.planner), run.settings.properties.size() + 1,
      run.outcome.counterexamples.size() + run.outcome.end.has_value(), skipped, cases);
}

}  // namespace zerocts
