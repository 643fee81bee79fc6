// What only the processes of a group know.
#pragma once
#include <string>

namespace zerocts {

/// 128 random bits as 32 hex digits. Throws HarnessError when the kernel gives none.
std::string NewSecret();

}  // namespace zerocts
