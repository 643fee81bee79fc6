// The name that this machine gives itself.
#pragma once
#include <string>

namespace zerocts {

/// "unknown" where the system does not say.
std::string MachineName();

/// Looks up the address of a name, as MPI_Init does in every rank: where it is not found, each waits for name servers.
/// Returns "" when it was found within a second, else what is wrong. Waits as long as the system's resolver does.
std::string LookUpComplaint(const std::string& name);

}  // namespace zerocts
