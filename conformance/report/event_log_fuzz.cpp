// results.ndjson, and every report that is made from it.
#include <algorithm>

#include "conformance/host/system/errors.hpp"
#include "conformance/report/log_chain.hpp"
#include "conformance/report/matrix.hpp"
#include "conformance/report/reports.hpp"
#include "conformance/report/run_diff.hpp"
#include "conformance/report/test_records.hpp"
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

void ReportOn(const RunView& view) {
  TableOf(view, true);
  TableOf(view, true, Detail::kAll);
  JUnitOf(view);
  CtrfOf(view);
  BadgeOf(view);
  const RunDiff diff = DiffOf(view, view);
  DiffText(diff, true);
  HtmlOf(view, &diff);
  const ClauseMatrix matrix = MatrixOf({view});
  MatrixText(matrix, true);
  MatrixHtml(matrix);
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
  ReadOrRefuse<UsageError, JsonTextError>(bytes, [&] { ReportOn(ViewOf(RecordsIn(bytes))); });
}

}  // namespace zerocts
