// results.ndjson, and every report that is made from it.
#include "conformance/host/group.hpp"
#include "conformance/report/matrix.hpp"
#include "conformance/report/record.hpp"
#include "conformance/report/test_records.hpp"
#include "reference/experiment/fuzz_target_for_test.hpp"

namespace zerocts {
namespace {

std::string LinesOf(const Records& records) {
  std::string lines;
  for (const nlohmann::json& record : records) lines += record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  return lines;
}

Records WithExpectations() {
  nlohmann::json failure = FailureRecord("C-ZERO-001", 3);
  failure["reproducer"] = {{"file", "f"}, {"python", "p"}, {"ranks", {2}}};
  failure["expected"] = {{"cases", 1}, {"issue", ""}};
  failure["choice"] = {{"version", "2"}};
  const nlohmann::json held = {{"record", "expectation"}, {"clause", "C-ZERO-001"}, {"state", "held"}, {"reason", ""}, {"message", "m"},
                               {"issue", ""},             {"date", "d"},            {"cases", 1}};
  nlohmann::json end = RunEndRecord("conformant", 0);
  end["pairs"] = {{"possible", 3}, {"missing", {"a + b"}}};
  return {RunRecord(), StartRecord("C-ZERO-001", "n"), failure, EndRecord("C-ZERO-001", "expected_failure"), held, end};
}

}  // namespace

std::vector<std::string> FuzzSeeds() { return {LinesOf(GreenRecords()), LinesOf(MixedRecords()), LinesOf(WithExpectations())}; }

void FuzzOne(std::string_view bytes) {
  const FuzzFile file(bytes);
  ReadOrRefuse<UsageError>(bytes, [&] {
    const Records records = ReadEventLog(file.path());
    TableOf(records, true);
    JUnitOf(records);
    const ClauseMatrix matrix = MatrixOf({ViewOf(records)});
    MatrixText(matrix, true);
    MatrixHtml(matrix);
  });
}

}  // namespace zerocts
