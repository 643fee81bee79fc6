// A failure on its way out: the case as a file, the record of the log.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/contract/trial.hpp"
#include "conformance/host/subjects/subject_spec.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/failure/failure.hpp"

namespace zerocts {

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
