// Answers planning requests through a plugin, in the process that this runs in: `zerocts plan answer`.
#pragma once
#include <string>

namespace zerocts {

/// Reads a request per line from standard input and writes an answer per line to where standard output goes; what the
/// plugin prints itself goes to standard error. Returns at the end of input. Throws UsageError for a file that cannot
/// be loaded or has no zerocts_plan_v1.
void AnswerThroughPlugin(const std::string& path);

}  // namespace zerocts
