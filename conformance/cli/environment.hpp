// The environment is a second command line: every option is also ZEROCTS_<NAME>, and a misspelt variable must not be
// ignored.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zerocts {

/// Gives every long option of every subcommand its variable: --time-budget is ZEROCTS_TIME_BUDGET.
void NameVariables(CLI::App& program);

/// Throws UsageError for a variable ZEROCTS_* of `environment` ("NAME=value" each) that no option and no part of
/// zerocts knows.
void RefuseUnknownVariables(const CLI::App& program, const std::vector<std::string>& environment);

/// An option that is given as "" is a variable that a script forgot to set: a usage error of parsing.
void RefuseEmptyValues(CLI::App& program);

/// Throws UsageError for a value that a rank or the engine would refuse of a variable that is no option.
void RefuseBadVariables();

/// The variables of this process, and its command line.
std::vector<std::string> ProcessEnvironment();
std::vector<std::string> ProcessArguments();

}  // namespace zerocts
