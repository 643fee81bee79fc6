// The name that this machine gives itself: MPI_Init looks it up, and where it is not found it waits for name servers,
// in every rank.
#pragma once
#include <string>

namespace zerocts {

struct HostName {
  std::string name;
  std::string complaint;  // "" when it was found within a second
};

/// Waits as long as the system's resolver does.
HostName LookUpHostName();

}  // namespace zerocts
