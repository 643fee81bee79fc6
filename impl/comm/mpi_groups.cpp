#include "impl/comm/mpi_groups.hpp"

#include <mutex>

#include "impl/comm/mpi_runtime.hpp"

namespace zerocts {

MPI_Comm MpiCommOf(const Group& group) {
  const std::lock_guard lock(MpiMutex());
  MPI_Group of_world, members;
  MPI_Comm comm;
  CheckMpi(MPI_Comm_group(MPI_COMM_WORLD, &of_world), "MPI_Comm_group");
  CheckMpi(MPI_Group_incl(of_world, group.size(), group.members.data(), &members), "MPI_Group_incl");
  CheckMpi(MPI_Comm_create_group(MPI_COMM_WORLD, members, 0, &comm), "MPI_Comm_create_group");
  MPI_Group_free(&members);
  MPI_Group_free(&of_world);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

}  // namespace zerocts
