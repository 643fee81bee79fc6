#include "impl/stages/rank/mesh_groups.hpp"

#include <fmt/format.h>

#include <utility>

#include "reference/plan/value/mesh.hpp"

namespace zerocts::engine {

namespace {

/// `prefix`: of the names of the groups, which differ from those of other meshes.
MeshGroups GroupsOn(const Mesh& mesh, const std::string& backend, const CommunicatorSettings& world,
                    const std::string& prefix) {
  const auto along = [&](const char* axis, const std::string& group) {
    CommunicatorSettings settings = world;
    settings.group = prefix + group;
    settings.members = mesh.RanksAlong(world.rank, axis);
    return settings;
  };
  const int replica = mesh.Coordinate(world.rank, "replicate"), shard = mesh.Coordinate(world.rank, "shard");
  const bool all_shard = mesh.size("shard") == world.world_size;
  const auto sharding = all_shard ? world : along("shard", fmt::format("shard group of replica {}", replica));
  auto made = MakeGroups(backend, {sharding, along("replicate", fmt::format("replicas of shard {}", shard)),
                                   along("tensor", fmt::format("tensor ranks of shard {}", shard))});
  return {std::move(made[0]), std::move(made[1]), std::move(made[2])};
}

void AddGroups(const MeshGroups& groups, std::vector<const Communicator*>& all) {
  for (const auto* group : {&groups.shard, &groups.replicate, &groups.tensor}) all.push_back(group->get());
}

}  // namespace

MeshGroups MakeMeshGroups(const std::string& backend, const CommunicatorSettings& world, int replicas, int tensor) {
  return GroupsOn(HybridMesh(replicas, world.world_size / (replicas * tensor), tensor), backend, world, "");
}

RankGroups MakeRankGroups(const std::string& backend, const CommunicatorSettings& world,
                          const EngineSettings& settings) {
  RankGroups groups{MakeMeshGroups(backend, world, settings.replicas, settings.tensor), std::nullopt};
  if (settings.experts > 1) {
    groups.expert = GroupsOn(ExpertMesh(settings, world.world_size), backend, world, "experts: ");
  }
  return groups;
}

std::vector<const Communicator*> RankGroups::all() const {
  std::vector<const Communicator*> all;
  AddGroups(dense, all);
  if (expert) AddGroups(*expert, all);
  return all;
}

}  // namespace zerocts::engine
