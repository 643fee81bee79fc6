// The event log of a run: results.ndjson, the source of truth. One JSON object per line, flushed; reports are made from
// it alone.
#pragma once
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/log/log_chain.hpp"
#include "conformance/report/log/log_lock.hpp"
#include "conformance/report/log/run_counts.hpp"

namespace zerocts {

// Records, by "record":
//   run           version, argv, seed, second_seed (of the clauses of required profiles; may be absent), tier, subject
//   {name, version, capabilities}, expectations (path),
//                 expected_as (the framework whose file it is; may be absent), host,
//                 pid, started, partial (what alone the verdict is about; "" when it is all);
//                 the plan: launchers, world_sizes, precisions, and clauses (ids) where they are known;
//                 suite_clauses (how many the suite has), profiles [{name, feature, clauses}], required (names of
//                 profiles); families {family: ids of clauses}, machine {what: text} (report/log/machine.hpp): both may
//                 be absent
//   clause_start  clause, name, sentence (what it requires), revision (1 where it does not say), essential [[feature]]:
//                 a case asks the clause that has one of each list
//   configuration clause, launcher, world_size, precision, cases, features {name: count}, asked (cases that had all
//                 that is essential), asked_elsewhere (true: other configurations can have what is missing here),
//                 seconds, sources {subject | host | kernel: cases that passed by figures which it saw; the best one
//                 counts}, result: pass | self_reported | fail | crash | hang | early_exit | garbage |
//                 disagreement | refused | not_applicable | harness_error | too_few | expected_failure |
//                 stale_expectation (report/log/result.hpp); reason (text, may be absent)
//   failure       clause, launcher, world_size, precision, ending, sentence, fidelity, case_file, case, summary;
//                 divergence (text) and first_difference {step (-1: after load), phase, rank, tensor, expected, got
//                 (fp32 as text), element, differing, compared (not of a scalar), note}, absent where no value differs;
//                 factors, causes [text] (may be absent), wrong_and_right (text), drawn_features [name] (of the case
//                 before it shrank; absent where it has the same), subject (as typed), choice {version,
//                 python} (of a framework), options [key=value], ranks
//                 [{rank, state, output}]; reproducer {file, python, ranks [how many, of each run]} or {reason} (of a
//                 framework, else null); known {framework, issue, date} (it is a known failure there;
//                 may be absent); expected {cases, issue} when it is as the expectations file says, stale true
//                 when it is not
//   clause_end    clause, result, cases, coverage_minimums {feature: [count, needed]}, needs [..], seconds, asked
//                 {cases (with all that is essential), features {name: cases with this much}}
//   expectation   clause, when, result, message, issue, date, case (session/expectations/expectations.hpp), state:
//                 held | stale | not judged, reason, cases
//   group_end     phase: start | shutdown, launcher, world_size, result (as above), sentence, ranks: a group of ranks
//                 that crashed or hung before its first case or after its last; none when all went well
//   note          text (what loading the subject changed, and the like), groups [{launcher, world_size, ranks [n]}]
//                 whose ranks said so; one record for each text
//   run_end       verdict, exit_code, interrupted (by which signal; may be absent), counts {clauses, cases, notes,
//   groups {result: n}, configurations {result: n},
//                 failures {result: n}} of all that stands above, seconds, profiles [{name, reach: in full |
//                 self-reported | in part | not claimed, passed, of, self_reported [ids of clauses]}], pairs {possible:
//                 n, missing [text]} of stage, plan, precision and mesh (may be absent), value_pairs {met: n, possible:
//                 n} of the values of all dimensions, summed over clauses; possible are those that five times as many
//                 draws have (may be absent); diagnosis {failing: n, notes [{text, clauses: n}], candidates [{id,
//                 title, likeness, fits [text], also [id] (may be absent)}], unlike_clauses [clause] (may be absent),
//                 order [clause]} (report/view/diagnosis.hpp; may be absent)
// Each line has its number as "line", and as "hash" that of the line before and of its own text
// (report/log/log_chain.hpp).
class EventLog {
 public:
  EventLog() = default;
  /// Begins a file anew; an earlier results.ndjson becomes results.previous.ndjson. Throws UsageError when it cannot be
  /// written, or when another run writes it.
  explicit EventLog(const std::string& path);
  void Write(const nlohmann::json& record);
  const RunCounts& counts() const { return counts_; }  // of what was written

 private:
  std::optional<LogLock> lock_;
  std::ofstream out_;
  LogChain chain_;
  RunCounts counts_;
};

/// The records of a log as they were written, up to the first line that is not as it was written.
struct LoggedRecords {
  std::vector<nlohmann::json> records;
  std::string damage;  // of the line behind them; "" when there is none
};

/// Throws UsageError when this is no log at all.
LoggedRecords ReadEventLog(const std::string& path);

}  // namespace zerocts
