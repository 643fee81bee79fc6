// Programs: others, and the one that runs.
#pragma once
#include <string>

namespace zerocts {

/// Does a folder of the PATH hold it?
bool IsOnPath(const std::string& program);

/// The path of the program that runs: `zerocts`, which is also `worker`. Throws HarnessError.
std::string OwnProgram();

}  // namespace zerocts
