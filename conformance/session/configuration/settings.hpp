// All that one run of the suite is asked for.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/draws/constraints.hpp"
#include "conformance/host/conductor/host_settings.hpp"
#include "conformance/host/conductor/subject_info.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "reference/experiment/experiment.hpp"

namespace zerocts {

enum class Tier { kSmoke, kDefault, kFull };

struct SessionSettings {
  SubjectSpec subject;
  SubjectInfo info;
  std::vector<LauncherKind> launchers;
  std::vector<int> world_sizes = {1, 2, 3, 4};
  std::vector<Precision> precisions = {Precision::kFp32, Precision::kBf16};
  Constraints constraints;  // to which all cases are held
  uint64_t seed = 1;
  std::optional<uint64_t> second_seed;  // of as many cases again, of each clause that a required profile has
  int cases_per_clause = 100;           // spread evenly over the configurations that are available, at least one each
  int largest_size = 100;               // of a drawn case, see CaseConditions
  std::optional<std::chrono::seconds> time_budget;  // shared by the clauses; what did not fit is too_few, never green
  Tier tier = Tier::kDefault;
  std::string out_dir;                // results.ndjson, cases/; must be writable
  std::string corpus_dir;             // saved cases that run first: <corpus>/<clause>/*.json; "" = none
  std::string known_faults;           // path of known_faults.json, for the diagnosis; "" = none
  std::string expectations;           // path of an expectations file; "" = none
  std::string expected_as;            // "torch-fsdp2", whose file it is where the subject is another; "" = none
  std::string known_failures;         // folder of the expectations files of frameworks, to name them; "" = none
  std::vector<std::string> clauses;   // that will be checked; none: not known
  bool complete = true;               // nothing that the subject declares was left out on the command line
  std::string partial;                // why the verdict is only about a part: "world size 3 only"; "" when it is not
  std::vector<std::string> required;  // profiles without which the run is not conformant
  bool shrink = true;
  int most_hangs = 0;             // so many in a row at one place end the run; 0: none do
  bool fail_fast = false;         // the configurations that are left of a clause that failed are not judged
  int jobs = 1;                   // so many groups of ranks work at once
  bool progress = true;           // a line per clause on stderr
  std::vector<std::string> argv;  // for the log
  HostSettings host;
};

}  // namespace zerocts
