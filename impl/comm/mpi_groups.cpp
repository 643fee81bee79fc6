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

Hosts HostsFoundByMpi(const Group& group) {
  MPI_Comm all = MpiCommOf(group), here;
  const std::lock_guard lock(MpiMutex());
  CheckMpi(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, group.rank, MPI_INFO_NULL, &here), "MPI_Comm_split_type");
  int first = group.rank;  // of this host's ranks
  CheckMpi(MPI_Bcast(&first, 1, MPI_INT, 0, here), "MPI_Bcast");
  std::vector<int> first_of(static_cast<size_t>(group.size()));
  CheckMpi(MPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, all), "MPI_Allgather");
  MPI_Comm_free(&here);
  MPI_Comm_free(&all);
  return HostsByLabel(first_of);
}

}  // namespace zerocts
