// Failures that are known and accepted for now: an expectations file, and what a run shows of each entry.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "conformance/contract/trial.hpp"
#include "conformance/host/launchers/launcher_kind.hpp"
#include "conformance/session/configuration/configurations.hpp"
#include "conformance/session/failure/failure.hpp"

namespace zerocts {

/// Where an expectation holds; an empty list is no condition.
struct ExpectedWhere {
  std::vector<int> world_sizes;
  std::vector<Precision> precisions;
  std::vector<LauncherKind> launchers;
  std::vector<std::string> versions;         // "2.13": of the subject, with all that follows a dot
  std::vector<std::string> features;         // of FeatureMeanings(): the case that fails has all of them
  std::vector<std::string> options;          // "device=cuda": the subject is given all of them
  std::vector<std::string> without_options;  // .. and none of these
};

/// Whom a run judges.
struct SubjectOfRun {
  std::string version;
  std::vector<std::pair<std::string, std::string>> options;  // key, value
};

/// An entry of the file.
struct Expectation {
  std::string clause;
  ExpectedWhere when;
  Result result = Result::kFail;
  std::string message;    // a part of the failure's sentence
  std::string issue;      // the upstream issue; "": none yet
  std::string date;       // since when
  std::string case_file;  // the saved case that shows it, seen from the file's folder
  Case shown_by;          // what is in it
};

struct ExpectationsFile {
  std::string path;
  std::string subject;  // as typed, or by the name that the subject gives itself
  std::vector<Expectation> entries;
};

/// Without what the cases show. Throws UsageError: which field, what was expected, what was got.
ExpectationsFile ExpectationsFromText(const std::string& text);
/// Reads the file and its cases. Throws UsageError: which entry, what was expected, what was got.
ExpectationsFile LoadExpectations(const std::string& path);
/// Writes it, not its cases. Throws UsageError when the place cannot be written.
void SaveExpectations(const ExpectationsFile& file);

nlohmann::json ToJson(const Expectation& expectation);

/// Is it about a subject with these options?
bool IsAboutOptions(const Expectation& expectation, const SubjectOfRun& subject);
/// .. and about this clause, here, in this version of the subject?
bool Covers(const Expectation& expectation, const std::string& clause, const Configuration& configuration,
            const SubjectOfRun& subject);

/// Does the failure look as the entry says, with a case that has its features?
bool Expects(const Expectation& expectation, const Failure& failure);

}  // namespace zerocts
