// A run as its log tells it, the one reading that every report is made from. It believes nothing better than the log
// proves: a pass without cases is too few, a recorded failure outweighs its configuration's word, what did not end is
// not green.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/log/result.hpp"
#include "conformance/report/log/run_counts.hpp"
#include "conformance/report/view/clause_result.hpp"
#include "conformance/report/view/diagnosis.hpp"
#include "conformance/report/view/profiles.hpp"
#include "conformance/report/view/verdict_of_run.hpp"

namespace zerocts {

struct ConfigurationView {
  std::string launcher, precision;
  int world_size = 0;
  Result result = Result::kNotApplicable;
  std::string reason;            // why it is not applicable, too few or an error of the harness; may be empty
  bool asked_elsewhere = false;  // it is not applicable, and others of the clause ask what it cannot
  int64_t cases = 0;
  double seconds = 0;
  std::vector<nlohmann::json> failures;  // the `failure` records of this configuration
  std::vector<nlohmann::json> expected;  // those that were expected

  std::string name() const;  // "mpirun W=3 bf16"
};

/// What a clause is about, and how many of its cases were about it.
struct AskedView {
  std::vector<std::vector<std::string>> essential;  // one of each list
  int64_t cases = 0;                                // had all of it
  std::map<std::string, int64_t> features;          // cases that had this much

  std::string Text() const;  // "accumulation 70, bf16 12": "" where nothing is essential
};

struct ClauseView {
  std::string id, name, sentence;
  std::string family;  // "" where the log does not say
  /// The worst of its configurations, of its own end and of its coverage minimums.
  Result result = Result::kNotApplicable;
  bool ended = false;
  double seconds = 0;
  std::vector<ConfigurationView> configurations;
  std::map<std::string, int64_t> features;  // cases that had each
  std::vector<CoverageMinimum> missed_minimums;
  std::vector<std::string> needs;
  int revision = 1;
  std::optional<AskedView> asked;  // none: the log does not say

  int64_t cases() const;
  std::vector<const nlohmann::json*> failures() const;  // the records, of all configurations
  bool judged() const;                                  // a case ran, and the clause is applicable
  std::string ReasonOfResult() const;  // of the first configuration that came to the same; "" where none did
  std::string LeftOutBy() const;       // "left out by --optimizer adamw"; "" where it was not
  std::optional<int64_t> asked_cases() const;
  bool ConfigurationsExplainResult() const;  // false: a coverage minimum, or an end that no configuration shows
  /// Why the clause is worse than its configurations.
  std::string Complaint() const;
};

/// An entry of the expectations file, as the run saw it.
struct ExpectationView {
  std::string clause, state, reason, message, issue, date;
  int64_t cases = 0;

  bool stale() const { return state == "stale"; }
  std::string Text() const;  // "fails with ".. differs ..", since 2026-11-22, https://.."
};

/// What a run set out to do.
struct RunPlan {
  std::vector<std::string> clauses;
  size_t configurations = 0;  // of each

  int64_t all_configurations() const { return static_cast<int64_t>(clauses.size() * configurations); }
};

/// A group of ranks that crashed or hung before its first case or after its last.
struct GroupEndView {
  std::string phase;  // "start", "shutdown"
  std::string launcher;
  int world_size = 0;
  Result result = Result::kCrash;
  nlohmann::json record;

  std::string name() const;  // "shutdown under mpirun W=3"
};

/// What ranks said of themselves and is no failure.
struct NoteView {
  struct Group {
    std::string launcher;
    int world_size = 0;
    std::vector<int> ranks;
  };

  std::string text;
  std::vector<Group> groups;

  std::string Text() const;  // "loading .. changed MXCSR .. (rank 1 under local W=3, all ranks under mpirun W=2)"
};

struct RunView {
  nlohmann::json run;                 // the `run` record; null when there is none
  std::string partial;                // what alone it is about
  std::string expected_as;            // the framework whose known failures were excused; "": the subject's own
  std::string interrupted;            // by which signal; "": it came to its end
  std::optional<nlohmann::json> end;  // the `run_end` record
  Verdict verdict;                    // that it announces
  std::vector<ClauseView> clauses;    // ascending by id
  std::vector<ExpectationView> expectations;
  std::optional<RunPlan> plan;
  RunCounts announced, there;  // by run_end, and counted
  std::string damage;          // of the log; what stands behind it is not believed
  std::vector<GroupEndView> group_ends;
  std::vector<NoteView> notes;
  Diagnosis diagnosis;                     // empty: none was made, or nothing known is alike
  int64_t suite_clauses = 0;               // of the suite that ran; 0: the log does not say
  std::vector<ProfilePlan> profile_plans;  // none: as above
  std::vector<std::string> required;       // profiles

  int64_t Count(Result result) const;   // clauses that came to it
  std::string seeds() const;            // "seed 7", "seeds 7 8"
  std::string setting() const;          // "launchers local mpirun  world sizes 1 3  seed 7  tier default"
  std::string subject_name() const;     // "unnamed subject" where the log does not say
  std::string subject_version() const;  // may be empty
  int64_t cases() const;
  int64_t configurations() const;
  int64_t judged() const;                    // clauses
  int64_t self_reported() const;             // clauses that rest on self-reported figures alone
  std::map<Result, int64_t> counts() const;  // configurations by result
  std::vector<ProfileReached> profiles() const;

  /// Why this log proves no verdict at all: damaged, cut off, empty, other than it announces, or its verdict does not
  /// follow from its records. "" when it does.
  std::string Objection() const;
  int exit_code() const;  // of the verdict; of an error of the harness when there is none
  bool conformant() const { return exit_code() == 0; }
};

/// All that the verdict follows from; the one that run_end announces is not asked.
RunSummary SummaryOf(const RunView& view);

/// Clauses in the order in which failures are shown: as the diagnosis has them, then by id.
std::vector<const ClauseView*> MostSpecificFirst(const RunView& view);

/// Throws UsageError when a record is not one of record.hpp.
RunView ViewOf(const std::vector<nlohmann::json>& records);

/// The same of the file.
RunView ViewOfLog(const std::string& path);

}  // namespace zerocts
