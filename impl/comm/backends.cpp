// Backend names of this build.
#include "impl/comm/backends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"

namespace zerocts::engine {
namespace {

std::string Choose(const CommunicatorSettings& settings) {
  if (settings.ranks_share_process) return "threads";
  if (!settings.device->host_can_reach()) {
    if (settings.world_size == 1) return "threads";  // it needs no NCCL, and no memory that the host can reach
    if (HasNccl()) return "nccl";
  }
  return StartedByMpi() ? "mpi" : "shm";
}

/// Backends whose bodies touch memory themselves.
void RequireMemoryInReach(const std::string& backend, const Device& device) {
  if (device.host_can_reach()) return;
  throw Unimplemented(
      fmt::format("comm {}: needs memory that the host can reach, which device {} does not have; expected comm nccl, "
                  "or comm threads "
                  "with ranks that are threads of one process",
                  backend, device.name()));
}

void RequireGpu(const std::string& backend, const Device& device) {
  if (!device.host_can_reach()) return;
  throw std::invalid_argument(fmt::format("comm {}: needs device cuda, got device {}", backend, device.name()));
}

}  // namespace

std::unique_ptr<Communicator> MakeCommunicator(const std::string& backend, const CommunicatorSettings& settings) {
  const std::string name = backend == "auto" ? Choose(settings) : backend;
  if (name == "threads") return MakeThreadsCommunicator(settings);
  if (name == "shm" || name == "mpi" || name == "shm+mpi") RequireMemoryInReach(name, *settings.device);
  if (name == "shm") return MakeShmCommunicator(settings);
  if (name == "mpi") return MakeMpiCommunicator(settings);
  if (name == "shm+mpi") return MakeShmMpiCommunicator(settings);
  if (name == "mpi-native") return MakeMpiNativeCommunicator(settings);
  if (name == "nccl" || name == "nccl-native") RequireGpu(name, *settings.device);
  if (name == "nccl") return MakeNcclCommunicator(settings);
  if (name == "nccl-native") return MakeNcclNativeCommunicator(settings);
  throw Unimplemented(fmt::format("backend {} is unknown; this build has: threads, shm{}{}", name,
                                  HasMpi() ? ", mpi, shm+mpi, mpi-native" : "",
                                  HasNccl() ? ", nccl, nccl-native" : ""));
}

std::vector<std::unique_ptr<Communicator>> MakeGroups(const std::string& backend,
                                                      const std::vector<CommunicatorSettings>& groups) {
  const auto alone = [](const CommunicatorSettings& group) { return group.members.size() == 1; };
  const bool nccl = (backend == "auto" ? Choose(groups.front()) : backend) == "nccl";
  const bool several = groups.size() > 1 && std::none_of(groups.begin(), groups.end(), alone);
  if (nccl && several && !groups.front().device->host_can_reach()) return MakeNcclGroups(groups);
  std::vector<std::unique_ptr<Communicator>> made;
  for (const CommunicatorSettings& group : groups) {
    made.push_back(alone(group) ? MakeSoloCommunicator(group) : MakeCommunicator(backend, group));
  }
  return made;
}

void ShutDownCommunicators() { ShutDownMpi(); }

}  // namespace zerocts::engine
