// The event log of a run: results.ndjson, the source of truth. One JSON object per line, flushed; reports are made from it alone.
#pragma once
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace zerocts {

// Records, by "record":
//   run           version, argv, seed, tier, subject {name, version, capabilities; notes [text], may be absent}, launchers, world_sizes, expectations (path), host, started
//   clause_start  clause, name, sentence (what it demands)
//   stratum       clause, launcher, world_size, precision, cases, features {name: count}, seconds, result: pass | fail | crash | hang | early_exit |
//                 garbage | disagreement | refused | unsupported | harness_error | too_few | expected_failure | stale_expectation
//                 (report/result.hpp); reason (text, may be absent)
//   failure       clause, launcher, world_size, precision, ending, sentence, divergence, fidelity, case_file, case, summary, subject (as typed),
//                 choice {version, python} (of a framework), options [key=value], ranks [{rank, state, output}]; reproducer {file, python, ranks [how many,
//                 of each run]} or {reason} (of a framework, else null); expected {cases, issue} when it is as the expectations file says, stale true when
//                 it is not
//   clause_end    clause, result, cases, floors {feature: [count, needed]}, needs [..], seconds
//   expectation   clause, when, result, message, issue, date, case (contract/expectations.hpp), state: held | stale | not judged, reason, cases
//   run_end       verdict, exit_code, counts {result: n}, exceptions (expectations that held), seconds, pairs {possible: n, missing [text]} of
//                 stage, plan, precision and mesh (may be absent)
class EventLog {
 public:
  EventLog() = default;
  /// Throws UsageError when the file cannot be written.
  explicit EventLog(const std::string& path);
  void Write(const nlohmann::json& record);

 private:
  std::ofstream out_;
};

std::vector<nlohmann::json> ReadEventLog(const std::string& path);

/// JUnit from records: one testsuite per clause, one testcase per stratum; failure, error (harness, crash, hang) and skipped are kept apart.
std::string JUnitOf(const std::vector<nlohmann::json>& records);

/// The table clause x world size with a legend, floors and `needs` lines, and the verdict; `color` for terminals.
std::string TableOf(const std::vector<nlohmann::json>& records, bool color);

}  // namespace zerocts
