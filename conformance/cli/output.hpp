// Where output goes: files that must be written whole, and a terminal that may have colours.
#pragma once
#include <string>

namespace zerocts {

/// Throws UsageError naming the path and the system's reason.
void WriteFile(const std::string& path, const std::string& text);

/// A terminal that is not dumb, and NO_COLOR is not set (no-color.org).
bool StandardOutputHasColor();

}  // namespace zerocts
