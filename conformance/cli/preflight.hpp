// What must hold before any rank starts; each function throws UsageError with one sentence when it does not.
#pragma once
#include <string>
#include <vector>

#include "conformance/host/group.hpp"

namespace zerocts {

/// "" gives local, and mpirun where this build has MPI and mpirun is installed.
std::vector<LauncherKind> Launchers(const std::string& text);

/// Can this machine hold that many rank processes at once? (Threads are one process.)
void RequireMemory(const std::vector<int>& world_sizes, const std::vector<LauncherKind>& launchers);

/// Does the subject declare these world sizes and these launchers?
void RequireReach(const SubjectInfo& subject, const std::vector<int>& world_sizes, const std::vector<LauncherKind>& launchers);

}  // namespace zerocts
