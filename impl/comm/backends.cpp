// Backend names of this build.
#include "impl/comm/backends.hpp"

#include <fmt/format.h>

#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

std::string Choose(const CommunicatorSettings& settings) {
  if (settings.ranks_share_process) return "threads";
  return StartedByMpi() ? "mpi" : "shm";
}

}  // namespace

std::unique_ptr<Communicator> MakeCommunicator(const std::string& backend, const CommunicatorSettings& settings) {
  const std::string name = backend == "auto" ? Choose(settings) : backend;
  if (name == "threads") return MakeThreadsCommunicator(settings);
  if (name == "shm") return MakeShmCommunicator(settings);
  if (name == "mpi") return MakeMpiCommunicator(settings);
  if (name == "shm+mpi") return MakeShmMpiCommunicator(settings);
  if (name == "mpi-native") return MakeMpiNativeCommunicator(settings);
  throw Unimplemented(
      fmt::format("backend {} is unknown; this build has: threads, shm{}", name, HasMpi() ? ", mpi, shm+mpi, mpi-native" : ""));
}

void ShutDownCommunicators() { ShutDownMpi(); }

}  // namespace zerocts
