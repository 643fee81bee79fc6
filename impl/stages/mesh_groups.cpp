#include "impl/stages/mesh_groups.hpp"

#include <fmt/format.h>

#include "impl/layout/mesh.hpp"

namespace zerocts {

MeshGroups MakeMeshGroups(const std::string& backend, const CommunicatorSettings& world, int replicas) {
  const Mesh mesh = HybridMesh(replicas, world.world_size / replicas);
  const auto along = [&](const char* axis, const std::string& group) {
    CommunicatorSettings settings = world;
    settings.group = group;
    settings.members = mesh.RanksAlong(world.rank, axis);
    return MakeCommunicator(backend, settings);
  };
  MeshGroups groups;
  groups.shard = along("shard", fmt::format("shard group of replica {}", mesh.Coordinate(world.rank, "replicate")));
  groups.replicate = along("replicate", fmt::format("replicas of shard {}", mesh.Coordinate(world.rank, "shard")));
  return groups;
}

}  // namespace zerocts
