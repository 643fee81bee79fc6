// From a partition spec and a mesh to who holds which block of an array.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "conformance/plans/read/orbax/orbax_sharding.hpp"
#include "conformance/plans/read/stored_tensors.hpp"

namespace zerocts::read {

/// The one mesh of all arrays, and those of its axes along which any is divided. Ranks that differ along the others
/// hold the same. Throws std::invalid_argument for arrays on different meshes.
struct OrbaxShards {
  explicit OrbaxShards(const std::map<std::string, OrbaxSharding>& shardings);

  OrbaxMesh mesh;
  std::vector<std::string> axes;  // in the order of the mesh
  int count = 1;
};

class OrbaxBlocks {
 public:
  explicit OrbaxBlocks(const OrbaxShards& shards) : shards_(shards) {}
  /// The whole array for the first shard where it is on one device, whose place in the mesh nobody knows. Expects sizes
  /// that their parts divide, and as many dimensions as the spec has or more. Throws std::invalid_argument for too many
  /// blocks.
  StoredTensor Of(const plan::Tensor& tensor, const OrbaxSharding& sharding);

 private:
  std::vector<Block> BlocksOf(const plan::Tensor& tensor, const OrbaxSharding& sharding);

  const OrbaxShards& shards_;
  int64_t blocks_ = 0, holders_ = 0;  // of all tensors
};

}  // namespace zerocts::read
