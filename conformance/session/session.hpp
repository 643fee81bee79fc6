// One run of the suite: subject, launchers, world sizes, seed, budget. The tests of all clauses share it (a GoogleTest
// environment).
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "conformance/cases/case_space.hpp"
#include "conformance/check/verdict.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/host/group.hpp"

namespace zerocts {

enum class Tier { kSmoke, kDefault, kFull };

struct SessionSettings {
  SubjectSpec subject;
  SubjectInfo info;
  std::vector<LauncherKind> launchers;
  std::vector<int> world_sizes = {1, 2, 3, 4};
  std::vector<Precision> precisions = {Precision::kFp32, Precision::kBf16};
  std::vector<int> stages;         // empty: all declared
  std::vector<std::string> plans;  // empty: all declared
  uint64_t seed = 1;
  int cases_per_clause = 100;                       // spread evenly over the strata that are offered, at least one each
  int largest_size = 100;                           // of a drawn case, see CasePlace
  std::optional<std::chrono::seconds> time_budget;  // of the whole run; what did not fit is too_few, never green
  Tier tier = Tier::kDefault;
  std::string out_dir;               // results.ndjson, cases/; must be writable
  std::string corpus_dir;            // saved cases that run first: <corpus>/<clause>/*.json; "" = none
  std::string expectations;          // path of an expectations file; "" = none
  std::vector<std::string> clauses;  // that will be checked; none: not known
  bool complete = true;              // nothing that the subject offers was left out on the command line
  std::string partial;               // why the verdict is only about a part: "world size 3 only"; "" when it is not
  bool shrink = true;
  int lanes = 1;                  // so many groups of ranks work at once
  bool progress = true;           // a line per clause on stderr
  std::vector<std::string> argv;  // for the log
  HostSettings host;
};

/// Where a property runs.
struct Stratum {
  LauncherKind launcher;
  int world_size;
  Precision precision;
};
std::string ToString(const Stratum& s);  // "threads W=3 bf16"

/// A run that did not end with observations; CheckClause turns it into the stratum's result.
struct RunEnded : std::exception {
  RunResult result;
  explicit RunEnded(RunResult r) : result(std::move(r)) {}
  const char* what() const noexcept override { return result.message.c_str(); }
};

/// Runs one case somewhere; a stand-in for groups of ranks in tests of the suite itself.
using Runner = std::function<RunResult(const Stratum& stratum, const Case& c)>;

class Session {
 public:
  ~Session();

  /// The one session of this process; set up by the cli before RUN_ALL_TESTS. Throws UsageError when out_dir cannot be
  /// written.
  static void Open(SessionSettings settings, Runner runner = {});  // no runner: groups from a pool
  static bool IsOpen();
  static Session& Get();  // throws HarnessError when none is open
  static void Close();    // ends every rank

  const SessionSettings& settings() const;
  const Capabilities& capabilities() const;

  /// Runs a case on a group of the stratum's launcher with c.world_size() ranks. Throws RunEnded for anything but
  /// kObserved.
  std::vector<RankObservation> Observe(const Stratum& stratum, const Case& c);
  /// The same of a case whose checkpoint others load: what both showed. The result's reports are in the state.
  RunResult Run(const Stratum& stratum, const Case& c);

  /// Ends the ranks, and tells which groups crashed or hung after their last case.
  std::vector<GroupEnd> StopGroups();

  /// Stops the groups, and gives the verdict over everything that ran; exit code of DESIGN section 8. Writes run_end.
  int Finish();

  struct State;
  State& state() { return *state_; }

 private:
  Session(SessionSettings settings, Runner runner);
  std::unique_ptr<State> state_;
};

/// Judges one case: runs it (once or in variants) and says what is wrong, or nothing.
using Judge = std::function<std::optional<Finding>(const Stratum& stratum, const Case& c)>;

/// The body of every clause's test: for each stratum the saved corpus first, then `cases` random cases of the space
/// with seed H(run seed, clause, stratum); counts features, shrinks a failure (a hang at most three times), saves its
/// case, writes the records and raises a GoogleTest failure with the whole sentence. Strata that the subject cannot
/// serve are recorded as unsupported.
void CheckClause(const CaseSpace& space, const Judge& judge);

/// One saved case through its clause's judge; for `zerocts replay`. Writes a reproducer too when a file is named.
/// Returns the exit code.
int ReplayCase(const Case& c, const Stratum& stratum, const std::string& reproducer = "");

/// A clause's space and judge under its id, so that its test, replay and `list` know the same ones.
struct ClauseCheck {
  std::function<CaseSpace()> space;  // its `clause` is the id
  Judge judge;
};
const ClauseCheck& FindClauseCheck(const std::string& clause_id);

/// One per clause's file, made before main: its check, and the GoogleTest test C_ZERO_001.Holds that runs CheckClause.
/// The clause's family is the folder of the file.
struct RegisteredClause {
  RegisteredClause(Clause clause, CaseSpace (*space)(), Judge judge,
                   const std::source_location& file = std::source_location::current());
};

}  // namespace zerocts
