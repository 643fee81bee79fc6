// A build without MPI.
#include "impl/comm/backends.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts {

std::unique_ptr<Communicator> MakeMpiCommunicator(const CommunicatorSettings&) {
  throw Unimplemented(
      "backend mpi is not in this build (ZEROCTS_WITH_MPI=OFF, or no MPI was found); this build has: threads, shm");
}
bool HasMpi() { return false; }
bool StartedByMpi() { return false; }
void ShutDownMpi() {}

}  // namespace zerocts
