// Where the logs of runs are, and whether a file is one.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

/// A folder is the run in it, or else the runs in its folders, by name; a file is a run.
std::vector<std::string> LogsOf(const std::string& run);

enum class FileKind { kRun, kTrace, kOther, kMissing };

/// By its first record; a folder is a run. What cannot be read is of another kind.
FileKind KindOf(const std::string& path);

}  // namespace zerocts
