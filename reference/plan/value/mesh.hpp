// How ranks are arranged: named axes, the outermost first. Rank numbers run fastest along the last axis.
#pragma once
#include <string>
#include <vector>

namespace zerocts {

struct MeshAxis {
  std::string name;  // "replicate", "shard", "tensor"
  int size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

struct Mesh {
  std::vector<MeshAxis> axes;

  int world_size() const;
  int size(const std::string& axis) const;  // 1 for an axis that the mesh does not have
  /// Where `rank` stands along `axis`; 0 for an axis that the mesh does not have.
  int Coordinate(int rank, const std::string& axis) const;
  /// The ranks that differ from `rank` along `axis` only, itself included, ascending; {rank} for an absent axis.
  std::vector<int> RanksAlong(int rank, const std::string& axis) const;

  friend bool operator==(const Mesh&, const Mesh&) = default;
};

/// replicate x shard x tensor: rank = (replica * shards + shard) * tensor + position on the tensor axis, so tensor
/// ranks are neighbours. Without tensor parallelism the mesh has no third axis. Throws std::invalid_argument unless all
/// are at least 1.
Mesh HybridMesh(int replicas, int shards, int tensor = 1);

std::string ToString(const Mesh& mesh);  // "replicate 2 x shard 3"

}  // namespace zerocts
