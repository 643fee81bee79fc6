// The launchers by name.
#pragma once
#include <string>

namespace zerocts {

enum class LauncherKind { kLocal, kThreads, kMpirun, kSrun, kCommand };
std::string ToString(LauncherKind kind);
LauncherKind LauncherKindFromString(const std::string& name);  // throws UsageError listing the names

}  // namespace zerocts
