// Where output goes: files that must be written whole, and a terminal that may have colours.
#pragma once
#include <string>

namespace zerocts {

/// Where the user said. Throws UsageError naming the path and the system's reason; HarnessError where the disk is full.
void WriteFile(const std::string& path, const std::string& text);
/// Where zerocts itself said: throws HarnessError for every reason.
void WriteResult(const std::string& path, const std::string& text);

/// Throws HarnessError when this process was started without one, before a file of ours takes its number.
void RequireStandardOutput();
/// False: not everything that was printed could be written.
bool FlushStandardOutput();

/// One line on stderr; gives the exit code back.
int SayError(int exit_code, const std::string& sentence);

bool StandardOutputIsTerminal();

/// A terminal that is not dumb, and NO_COLOR is not set (no-color.org).
bool StandardOutputHasColor();

}  // namespace zerocts
