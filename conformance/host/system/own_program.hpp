// The program that runs: `zerocts`, which is also `worker`.
#pragma once
#include <string>

namespace zerocts {

/// Its path. Throws HarnessError.
std::string OwnProgram();

}  // namespace zerocts
