// One factory per backend. A backend that a build lacks is a file no_<backend>.cpp, which has the same functions and
// says so.
#pragma once
#include <memory>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

/// For a group of one rank of a larger world.
std::unique_ptr<Communicator> MakeSoloCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeThreadsCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeShmCommunicator(const CommunicatorSettings& settings);

std::unique_ptr<Communicator> MakeMpiCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeShmMpiCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeMpiNativeCommunicator(const CommunicatorSettings& settings);
bool HasMpi();
bool StartedByMpi();  // this process was started by an MPI launcher that this build can talk to
void ShutDownMpi();

std::unique_ptr<Communicator> MakeNcclCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeNcclNativeCommunicator(const CommunicatorSettings& settings);
/// Collective over the world, of which every rank is in one group of each place.
std::vector<std::unique_ptr<Communicator>> MakeNcclGroups(const std::vector<CommunicatorSettings>& groups);
bool HasNccl();

}  // namespace zerocts::engine
