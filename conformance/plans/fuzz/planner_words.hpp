// Planners as a user names them.
#pragma once
#include <chrono>
#include <string>

#include "conformance/plans/fuzz/planner.hpp"

namespace zerocts {

/// One of PlannersByName(), plugin:PATH, or a command for the shell. `errors`: file for what processes write to
/// standard error. Throws UsageError for a plugin that is no file, and for a framework that this machine cannot have.
MakePlanner PlannerNamed(const std::string& word, std::chrono::milliseconds deadline, const std::string& errors);

/// Could the shell or the plugin's process not even start what `word` names? Then `ended` says so.
bool CannotStart(const std::string& word, const std::string& ended);

}  // namespace zerocts
