#include "impl/stages/mesh_groups.hpp"

#include <fmt/format.h>

#include <utility>

#include "reference/plan/mesh.hpp"

namespace zerocts::engine {

MeshGroups MakeMeshGroups(const std::string& backend, const CommunicatorSettings& world, int replicas, int tensor) {
  const Mesh mesh = HybridMesh(replicas, world.world_size / (replicas * tensor), tensor);
  const auto along = [&](const char* axis, const std::string& group) {
    CommunicatorSettings settings = world;
    settings.group = group;
    settings.members = mesh.RanksAlong(world.rank, axis);
    return settings;
  };
  const int replica = mesh.Coordinate(world.rank, "replicate"), shard = mesh.Coordinate(world.rank, "shard");
  const bool all_shard = replicas * tensor == 1;
  const auto sharding = all_shard ? world : along("shard", fmt::format("shard group of replica {}", replica));
  auto made = MakeGroups(backend, {sharding, along("replicate", fmt::format("replicas of shard {}", shard)),
                                   along("tensor", fmt::format("tensor ranks of shard {}", shard))});
  return {std::move(made[0]), std::move(made[1]), std::move(made[2])};
}

}  // namespace zerocts::engine
