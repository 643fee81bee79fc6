// Options that hold a run to some values: --strategy, --offload, .. (cases/drawing/constraint_options.hpp), and --plan
// file:PATH, a plan file that every case goes through.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cases/draws/model_shapes.hpp"
#include "conformance/contract/clause.hpp"
#include "conformance/session/configuration/settings.hpp"

namespace CLI {
class App;
}

namespace zerocts {

/// What was given for each option: {"offload": "full"}.
using ConstraintTexts = std::map<std::string, std::string>;
void AddConstraintOptions(CLI::App& command, ConstraintTexts& texts);

/// What was given means this for a subject that is known. Throws UsageError for what it does not declare or what these
/// numbers of ranks do not allow.
Constraints ConstraintsOf(const ConstraintTexts& texts, const SessionSettings& settings);

/// Throws UsageError when the constraints leave no case to any of the clauses.
void RequireCases(const std::vector<Clause>& clauses, const SessionSettings& settings);

/// Takes `--plan file:PATH` out of the texts, reads and judges it; nothing where --plan has names or is not given. The
/// name has the absolute path, for ranks in other folders. Throws UsageError where it cannot be read, is not sound, or
/// no case can train through it.
std::optional<FilePlan> TakePlanFile(ConstraintTexts& texts);

/// --ranks of such a run: those of the plan. Throws UsageError when `ranks` asks for others.
std::string RanksThrough(const FilePlan& file, const std::string& ranks);

/// The model that --shapes names. Throws UsageError where there is none, or beside a plan file, which has its own.
ModelShapes TakeShapes(const std::string& model, const std::optional<FilePlan>& file);

/// Throws UsageError where the reference cannot train it in every case.
Constraint ConstraintOfShapes(const ModelShapes& shapes, const SessionSettings& settings);

/// What it means for a subject that is known. Throws UsageError when it does not declare what the plan needs.
Constraint ConstraintOfFile(const FilePlan& file, const SessionSettings& settings);

}  // namespace zerocts
