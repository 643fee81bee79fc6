// One case through its judge, and a failure on its way out: its case file, its record in the log.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/contract/judge.hpp"
#include "conformance/contract/trial.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/report/log/result.hpp"
#include "conformance/session/configuration/configurations.hpp"

namespace zerocts {

/// A case that did not pass.
struct Failure {
  Case c;
  Result result = Result::kFail;  // or how its run ended; kNotApplicable: nothing was run
  Finding finding;
  std::vector<RankReport> reports;       // of the run that was judged last
  std::set<std::string> drawn_features;  // of the case before it shrank; none: it has the same
};

/// Runs and judges; nothing when the case passes. Throws HarnessError for everything that is not the subject's doing.
std::optional<Failure> Try(const Judge& judge, Trial& trial, const Case& c);

/// Saves the case under <out_dir>/cases/<clause>-<hash>.json and gives its path. "" when out_dir is "".
std::string SaveFailedCase(const Failure& failure, const std::string& out_dir);

nlohmann::json FailureRecord(const Failure& failure, const Configuration& configuration, const std::string& case_file,
                             const SubjectSpec& subject);

/// How each rank ended, and what it said.
nlohmann::json RankRecords(const std::vector<RankReport>& reports);

/// An error of the harness in the same form.
nlohmann::json HarnessErrorRecord(const std::string& clause_id, const Configuration& configuration,
                                  const std::string& sentence);

}  // namespace zerocts
