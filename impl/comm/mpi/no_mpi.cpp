// A build without MPI.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "impl/comm/backends.hpp"
#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

[[noreturn]] void RefuseWithoutMpi(const std::string& backend) {
  throw Unimplemented(
      fmt::format("backend {} is not in this build (ZEROCTS_WITH_MPI=OFF, or no MPI was found); this build has: {}",
                  backend, fmt::join(BackendNamesOfThisBuild(), ", ")));
}

}  // namespace

std::unique_ptr<Communicator> MakeMpiCommunicator(const CommunicatorSettings&) { RefuseWithoutMpi("mpi"); }
std::unique_ptr<Communicator> MakeShmMpiCommunicator(const CommunicatorSettings&) { RefuseWithoutMpi("shm+mpi"); }
bool HasMpi() { return false; }
bool StartedByMpi() { return false; }
RankInMpi FindRankInMpi() { RefuseWithoutMpi("mpi"); }
void ShutDownMpi() {}

}  // namespace zerocts::engine
