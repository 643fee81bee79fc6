// Programs of others.
#pragma once
#include <string>

namespace zerocts {

/// Does a folder of the PATH hold it?
bool IsOnPath(const std::string& program);

}  // namespace zerocts
