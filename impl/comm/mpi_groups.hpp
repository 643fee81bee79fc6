// What only MPI can make of a group's ranks.
#pragma once
#include <mpi.h>

#include "impl/comm/group.hpp"

namespace zerocts {

/// Collective over the group, in a call that cannot be polled and has no deadline: to be made when all its ranks have
/// come. To be freed by the caller.
MPI_Comm MpiCommOf(const Group& group);

}  // namespace zerocts
