// The headings under which the help of a command lists its options.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace zerocts {

inline constexpr const char* kWhatIsJudged = "What is judged";
inline constexpr const char* kWhichCases = "Which cases";
inline constexpr const char* kWhatIsTrained = "What is trained";
inline constexpr const char* kOutput = "Output";
inline constexpr const char* kDeadlines = "Deadlines and speed";

/// These options of the command stand below the heading.
inline void PutUnder(const std::string& heading, CLI::App& command, const std::vector<std::string>& options) {
  for (const std::string& option : options) command.get_option(option)->group(heading);
}

}  // namespace zerocts
