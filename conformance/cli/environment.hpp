// The environment is a second command line: every option is also ZEROCTS_<NAME>, and a misspelt variable must not be ignored.
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zerocts {

/// Gives every long option of every subcommand its variable: --time-budget is ZEROCTS_TIME_BUDGET.
void NameVariables(CLI::App& program);

/// Throws UsageError for a variable ZEROCTS_* of `environment` ("NAME=value" each) that no option and no part of zerocts knows.
void RefuseUnknownVariables(const CLI::App& program, const std::vector<std::string>& environment);

/// The variables of this process, and its command line.
std::vector<std::string> ProcessEnvironment();
std::vector<std::string> ProcessArguments();

}  // namespace zerocts
