// The JSON of a case and its files: its experiment, and the fields of all dimensions. Strict: a field that is missing,
// unknown or of the wrong type is named; only what newer versions brought may be missing.
#pragma once
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/cases/case/case.hpp"

namespace zerocts {

nlohmann::json ToJson(const Case& c);
/// Throws std::invalid_argument with a sentence: unknown field, wrong type, Problem(case).
Case CaseFromJson(const nlohmann::json& json);

void SaveCase(const Case& c, const std::string& path);
/// Throws std::runtime_error naming the path and what is wrong with the file.
Case LoadCase(const std::string& path);

/// Summary and JSON, for counterexamples.
std::ostream& operator<<(std::ostream& out, const Case& c);

}  // namespace zerocts
