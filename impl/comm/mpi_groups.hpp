// What only MPI can say or make of a group's ranks. Both are calls that cannot be polled: to be made when all ranks of
// the group have come, so that they wait for nobody.
#pragma once
#include <mpi.h>

#include "impl/comm/group.hpp"
#include "impl/comm/hosts.hpp"

namespace zerocts {

/// Collective over the group. To be freed by the caller.
MPI_Comm MpiCommOf(const Group& group);

/// Collective over the group: ranks that can share memory (MPI_COMM_TYPE_SHARED) share a host.
Hosts HostsFoundByMpi(const Group& group);

}  // namespace zerocts
