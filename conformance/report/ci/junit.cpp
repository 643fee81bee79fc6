// JUnit XML from the event log. Every count attribute is counted from the test cases that are written.
#include "conformance/report/ci/junit.hpp"

#include <fmt/format.h>

#include "conformance/report/ci/test_items.hpp"
#include "conformance/report/words/text.hpp"

namespace zerocts {
namespace {

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void Add(const TestItem& item) {
    const Outcome outcome = OutcomeOf(item.result);
    ++tests;
    failures += outcome == Outcome::kFailure, errors += outcome == Outcome::kError;
    skipped += outcome == Outcome::kSkipped;
    seconds += item.seconds;
  }
  std::string Attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", tests, failures, errors,
                       skipped, seconds);
  }
};

const char* ElementOf(Result result) {
  switch (OutcomeOf(result)) {
    case Outcome::kSkipped: return "skipped";
    case Outcome::kFailure: return "failure";
    default: return "error";
  }
}

std::string CaseOf(const TestItem& item) {
  std::string out = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")", XmlAttribute(item.group),
                                XmlAttribute(item.name), item.seconds);
  if (item.result == Result::kPass) return out + "/>\n";
  const char* element = ElementOf(item.result);
  out += fmt::format(">\n      <{} message=\"{}\"", element, XmlAttribute(item.message));
  if (IsAsked(item.result)) out += fmt::format(" type=\"{}\"", ToString(item.result));
  out += item.text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", XmlText(item.text), element);
  return out + "    </testcase>\n";
}

}  // namespace

std::string JUnitOf(const RunView& view) {
  Counts total;
  std::string body;
  for (const TestSuite& suite : TestSuitesOf(view)) {
    Counts counts;
    std::string cases;
    for (const TestItem& item : suite.items) counts.Add(item), total.Add(item), cases += CaseOf(item);
    body += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", XmlAttribute(suite.name),
                        counts.Attributes(), cases);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"zerocts\" {}>\n{}</testsuites>\n",
                     total.Attributes(), body);
}

}  // namespace zerocts
