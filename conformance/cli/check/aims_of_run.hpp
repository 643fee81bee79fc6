// Options that hold a run to one configuration: --strategy, --offload, .. (cases/drawing/aim_options.hpp).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "conformance/contract/clause.hpp"
#include "conformance/session/stratum/settings.hpp"

namespace CLI {
class App;
}

namespace zerocts {

/// What was given for each option: {"offload": "full"}.
using AimTexts = std::map<std::string, std::string>;
void AddAimOptions(CLI::App& command, AimTexts& texts);

/// Throws UsageError for words that no subject has.
void RequireKnownAims(const AimTexts& texts);

/// What was given means this for a subject that is known. Throws UsageError for what it does not declare or what these
/// numbers of ranks do not allow.
Aims AimsOf(const AimTexts& texts, const SessionSettings& settings);

/// Throws UsageError when the aims leave no case to any of the clauses.
void RequireCases(const std::vector<Clause>& clauses, const SessionSettings& settings);

}  // namespace zerocts
