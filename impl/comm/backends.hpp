// The transports: a table with a line for each, and one factory per line. What a backend is built on and this build
// lacks is a file no_<folder>.cpp, which has the same functions and says so.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "impl/comm/communicator.hpp"

namespace zerocts::engine {

std::unique_ptr<Communicator> MakeThreadsCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeShmCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeMpiCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeShmMpiCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeNcclCommunicator(const CommunicatorSettings& settings);
std::unique_ptr<Communicator> MakeNcclNativeCommunicator(const CommunicatorSettings& settings);

bool HasMpi();
bool HasNccl();
constexpr bool InEveryBuild() { return true; }

enum class Needs {
  kNothing,
  kHostMemory,  // memory that the host can reach: its body touches it itself
  kGpu,
};

struct Backend {
  std::string_view name;      // Communicator::name
  std::string_view spelling;  // the options that choose it
  std::unique_ptr<Communicator> (*make)(const CommunicatorSettings& settings);
  bool (*in_this_build)();
  Needs needs;
  std::string_view summary;
};

inline constexpr Backend kBackends[] = {
    {"threads", "comm=threads", MakeThreadsCommunicator, InEveryBuild, Needs::kNothing,
     "ranks that are threads of one process, and one rank alone"},
    {"shm", "comm=shm", MakeShmCommunicator, InEveryBuild, Needs::kHostMemory,
     "processes of one host, in shared memory"},
    {"mpi", "comm=mpi", MakeMpiCommunicator, HasMpi, Needs::kHostMemory, "messages of MPI, on any number of hosts"},
    {"shm+mpi", "comm=shm+mpi", MakeShmMpiCommunicator, HasMpi, Needs::kHostMemory,
     "shared memory inside a host, messages of MPI between hosts"},
    {"nccl", "comm=nccl", MakeNcclCommunicator, HasNccl, Needs::kGpu, "NCCL between GPUs, sums folded in order"},
    {"nccl-native", "comm=nccl nccl_reduce=native", MakeNcclNativeCommunicator, HasNccl, Needs::kGpu,
     "NCCL's own reduce-scatter, in the order ring"},
};

/// In the order of the table.
std::vector<std::string> BackendNamesOfThisBuild();
/// What option comm takes: auto, and the names that it chooses by itself.
std::vector<std::string> BackendChoices();

/// For a group of one rank of a larger world.
std::unique_ptr<Communicator> MakeSoloCommunicator(const CommunicatorSettings& settings);
/// NCCL's communicators of several groups. Collective over the world: at each index of `groups` every rank has one
/// group.
std::vector<std::unique_ptr<Communicator>> MakeNcclGroups(const std::vector<CommunicatorSettings>& groups);

bool StartedByMpi();  // this process was started by an MPI launcher that this build can talk to

struct RankInMpi {
  int rank = 0, world_size = 1;
};
RankInMpi FindRankInMpi();  // starts MPI
void ShutDownMpi();

}  // namespace zerocts::engine
