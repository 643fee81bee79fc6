#include "impl/stages/mesh_groups.hpp"

#include <fmt/format.h>

#include <utility>

#include "reference/plan/mesh.hpp"

namespace zerocts::engine {

MeshGroups MakeMeshGroups(const std::string& backend, const CommunicatorSettings& world, int replicas) {
  const Mesh mesh = HybridMesh(replicas, world.world_size / replicas);
  const auto along = [&](const char* axis, const std::string& group) {
    CommunicatorSettings settings = world;
    settings.group = group;
    settings.members = mesh.RanksAlong(world.rank, axis);
    return settings;
  };
  const int replica = mesh.Coordinate(world.rank, "replicate"), shard = mesh.Coordinate(world.rank, "shard");
  const auto sharding = replicas == 1 ? world : along("shard", fmt::format("shard group of replica {}", replica));
  auto made = MakeGroups(backend, {sharding, along("replicate", fmt::format("replicas of shard {}", shard))});
  return {std::move(made[0]), std::move(made[1])};
}

}  // namespace zerocts::engine
