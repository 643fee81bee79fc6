// The environment by which a conductor tells shims and ranks what they need before their first message.
#pragma once
#include <sys/types.h>

#include <array>
#include <string>
#include <string_view>

namespace zerocts {

inline constexpr const char* kConductorVariable = "ZEROCTS_CONDUCTOR";         // address of its socket
inline constexpr const char* kConductorPidVariable = "ZEROCTS_CONDUCTOR_PID";  // whose end is everybody's end
inline constexpr const char* kGroupFolderVariable = "ZEROCTS_GROUP_FOLDER";    // pages and output of the ranks
inline constexpr const char* kGroupSecretVariable = "ZEROCTS_GROUP_SECRET";    // of the ranks of a group
inline constexpr const char* kShimSecretVariable = "ZEROCTS_SHIM_SECRET";      // of its shims
inline constexpr const char* kShimVariable = "ZEROCTS_SHIM_PID";               // under which a command was started
inline constexpr const char* kDeviceVariable = "ZEROCTS_DEVICE";  // --device, for ranks that need it before their hello
inline constexpr const char* kBindVariable = "ZEROCTS_BIND_RANKS";  // "1": each rank keeps to its share of the cores
/// The socket of a process that forks ranks, for that process alone.
inline constexpr const char* kForkServerVariable = "ZEROCTS_FORK_SERVER";

/// What users set for engines and their libraries: kernels, NCCL and cuBLAS.
inline constexpr std::array<std::string_view, 6> kEngineVariables = {
    "ZEROCTS_CUBLAS_LIBRARY", "ZEROCTS_KERNELS",      "ZEROCTS_NCCL_HOME",
    "ZEROCTS_NCCL_LIBRARY",   "ZEROCTS_NCCL_PROFILE", "ZEROCTS_THREADS",
};

/// Freed memory comes back poisoned, and heap figures are exact, only without glibc's per-thread cache.
inline constexpr const char* kAllocatorVariable = "GLIBC_TUNABLES";
inline constexpr const char* kWithoutThreadCache = "glibc.malloc.tcache_count=0";

/// Takes every variable ZEROCTS_* but those of engines out of the environment, before the code of a subject is loaded:
/// how it behaves may not depend on being tested. RequiredVariable still knows them.
void TakeVariables();

/// For a rank that a command starts: takes out what only shims and options of the program need.
void LeaveVariablesOfRanks();

/// The value of an environment variable that the conductor may set; null without it.
const char* VariableOrNull(const std::string& name);

/// The value of an environment variable that the conductor sets. Throws HarnessError when it is missing.
std::string RequiredVariable(const char* name);

/// The process behind kConductorPidVariable. Throws HarnessError when no pid stands there.
pid_t ConductorPid();

}  // namespace zerocts
