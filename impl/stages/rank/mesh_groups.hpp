// The groups of a rank of a replicate x shard x tensor mesh.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "impl/stages/rank/rank_context.hpp"

namespace zerocts::engine {

struct MeshGroups {
  std::unique_ptr<Communicator> shard;      // the ranks that hold the other shards of this replica
  std::unique_ptr<Communicator> replicate;  // the ranks that hold the same shard in the other replicas
  std::unique_ptr<Communicator> tensor;     // the ranks that have the other parts of this one's layers
  Groups groups() const { return {*shard, *replicate, *tensor}; }
};

/// The groups of a rank for both classes of parameters.
struct RankGroups {
  MeshGroups dense;
  std::optional<MeshGroups> expert;

  std::optional<Groups> of_expert() const { return expert ? std::optional(expert->groups()) : std::nullopt; }
  std::vector<const Communicator*> all() const;
};

/// `world`: settings of the whole world. Expects that replicas * tensor divides its world_size. Collective over the
/// world.
MeshGroups MakeMeshGroups(const std::string& backend, const CommunicatorSettings& world, int replicas, int tensor = 1);
/// As settings ask: ArrangementOf's mesh, and where there are experts that of ExpertArrangementOf. Collective.
RankGroups MakeRankGroups(const std::string& backend, const CommunicatorSettings& world,
                          const EngineSettings& settings);

}  // namespace zerocts::engine
