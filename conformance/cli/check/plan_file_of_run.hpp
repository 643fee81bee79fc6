// zerocts check --plan file:PATH: a plan file that every case of a run goes through.
#pragma once
#include <optional>
#include <string>

#include "conformance/cases/case/plan_file.hpp"
#include "conformance/cli/check/aims_of_run.hpp"
#include "conformance/session/stratum/settings.hpp"

namespace zerocts {

/// Takes `--plan file:PATH` out of the texts, reads and judges it; nothing where --plan has names or is not given. The
/// name has the absolute path, for ranks in other folders. Throws UsageError where it cannot be read, is not sound, or
/// no case can train through it.
std::optional<FilePlan> TakePlanFile(AimTexts& texts);

/// --ranks of such a run: those of the plan. Throws UsageError when `ranks` asks for others.
std::string RanksThrough(const FilePlan& file, const std::string& ranks);

/// What it means for a subject that is known. Throws UsageError when it does not declare what the plan needs.
Aim AimThrough(const FilePlan& file, const SessionSettings& settings);

}  // namespace zerocts
