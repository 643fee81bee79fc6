// results.ndjson, and every report that is made from it.
#include <algorithm>
#include <functional>
#include <iterator>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/ci/badge.hpp"
#include "conformance/report/ci/ctrf.hpp"
#include "conformance/report/ci/junit.hpp"
#include "conformance/report/html/run_html.hpp"
#include "conformance/report/log/log_chain.hpp"
#include "conformance/report/log/test_records.hpp"
#include "conformance/report/terminal/table.hpp"
#include "conformance/report/view/matrix.hpp"
#include "conformance/report/view/run_diff.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"
#include "reference/experiment/json_text.hpp"

namespace zerocts {
namespace {

std::string LinesOf(const Records& records) {
  std::string lines;
  LogChain chain;
  for (const nlohmann::json& record : records) lines += chain.Link(record) + '\n';
  return lines;
}

/// As if the chain of hashes held.
Records RecordsIn(std::string_view bytes) {
  Records records;
  for (size_t begin = 0, end; begin < bytes.size(); begin = end + 1) {
    end = std::min(bytes.find('\n', begin), bytes.size());
    nlohmann::json record = ParseJson(bytes.substr(begin, end - begin));
    if (record.is_object()) records.push_back(std::move(record));
  }
  return records;
}

using Report = void (*)(const RunView&);

constexpr Report kReports[] = {
    [](const RunView& view) { TableOf(view, true); },
    [](const RunView& view) { TableOf(view, true, Detail::kAll); },
    [](const RunView& view) { JUnitOf(view); },
    [](const RunView& view) { CtrfOf(view); },
    [](const RunView& view) { BadgeOf(view); },
    [](const RunView& view) { DiffText(DiffOf(view, view), true); },
    [](const RunView& view) {
      const RunDiff diff = DiffOf(view, view);
      HtmlOf(view, &diff);
    },
    [](const RunView& view) { MatrixText(MatrixOf({view}), true); },
    [](const RunView& view) { MatrixHtml(MatrixOf({view})); },
};

void ReportOn(const RunView& view) {
  for (const Report report : kReports) report(view);
}

/// One of them, chosen by the input: a search is three times as fast as with all.
void OneReportOn(const RunView& view, std::string_view bytes) {
  kReports[std::hash<std::string_view>{}(bytes) % std::size(kReports)](view);
}

Records WithExpectations() {
  nlohmann::json failure = FailureRecord("C-ZERO-001", 3);
  failure["reproducer"] = {{"file", "f"}, {"python", "p"}, {"ranks", {2}}};
  failure["expected"] = {{"cases", 1}, {"issue", ""}};
  failure["choice"] = {{"version", "2"}};
  const nlohmann::json held = {{"record", "expectation"},
                               {"clause", "C-ZERO-001"},
                               {"state", "held"},
                               {"reason", ""},
                               {"message", "m"},
                               {"issue", ""},
                               {"date", "d"},
                               {"cases", 1}};
  Records records =
      Ended({RunRecord(), StartRecord("C-ZERO-001", "n"), failure, EndRecord("C-ZERO-001", "expected_failure"), held,
             GroupEndRecord("shutdown", "crash"), NoteRecord("a note")},
            "crash or hang", 4);
  records.back()["pairs"] = {{"possible", 3}, {"missing", {"a + b"}}};
  return records;
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  return {LinesOf(GreenRecords()), LinesOf(MixedRecords()), LinesOf(WithExpectations())};
}

void FuzzOne(std::string_view bytes) {
  const FuzzFile file(bytes);
  ReadOrRefuse<UsageError>(bytes, [&] { ReportOn(ViewOfLog(file.path())); });
  ReadOrRefuse<UsageError, JsonTextError>(bytes, [&] { OneReportOn(ViewOf(RecordsIn(bytes)), bytes); });
}

}  // namespace zerocts
