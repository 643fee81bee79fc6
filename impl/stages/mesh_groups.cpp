#include "impl/stages/mesh_groups.hpp"

#include <fmt/format.h>

#include "impl/comm/backends.hpp"
#include "impl/layout/mesh.hpp"

namespace zerocts {

MeshGroups MakeMeshGroups(const std::string& backend, const CommunicatorSettings& world, int replicas) {
  const Mesh mesh = HybridMesh(replicas, world.world_size / replicas);
  const auto along = [&](const char* axis, const std::string& group) {
    CommunicatorSettings settings = world;
    settings.group = group;
    settings.members = mesh.RanksAlong(world.rank, axis);
    const bool alone = settings.members.size() == 1 && world.world_size > 1;
    return alone ? MakeSoloCommunicator(settings) : MakeCommunicator(backend, settings);
  };
  MeshGroups groups;
  if (replicas == 1) {
    groups.shard = MakeCommunicator(backend, world);
    CommunicatorSettings alone = world;
    alone.group = fmt::format("rank {}", world.rank);
    alone.members = {world.rank};
    groups.replicate = MakeSoloCommunicator(alone);
    return groups;
  }
  groups.shard = along("shard", fmt::format("shard group of replica {}", mesh.Coordinate(world.rank, "replicate")));
  groups.replicate = along("replicate", fmt::format("replicas of shard {}", mesh.Coordinate(world.rank, "shard")));
  return groups;
}

}  // namespace zerocts
