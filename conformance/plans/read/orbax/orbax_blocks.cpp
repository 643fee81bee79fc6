#include "conformance/plans/read/orbax/orbax_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace zerocts::read {
namespace {

constexpr int64_t kMostBlocks = int64_t{1} << 18;
constexpr int64_t kMostHolders = int64_t{1} << 23;  // of all blocks: each lists who has it too

/// The dimension that all of `axes` divide, while others are whole; -1: there is none.
int OnlyDividedDimension(const OrbaxSharding& sharding, const std::vector<std::string>& axes) {
  int divided = -1;
  for (size_t d = 0; d < sharding.spec.size(); ++d) {
    if (sharding.spec[d].empty()) continue;
    if (divided >= 0 || sharding.spec[d] != axes) return -1;
    divided = static_cast<int>(d);
  }
  return divided;
}

/// Where a shard's block begins, counted in blocks.
std::vector<int64_t> PlaceOf(int shard, const Mesh& divided, const OrbaxSharding& sharding, size_t dimensions) {
  std::vector<int64_t> place(dimensions, 0);
  for (size_t d = 0; d < sharding.spec.size(); ++d) {
    for (const std::string& axis : sharding.spec[d])
      place[d] = place[d] * divided.size(axis) + divided.Coordinate(shard, axis);
  }
  return place;
}

}  // namespace

OrbaxShards::OrbaxShards(const std::map<std::string, OrbaxSharding>& shardings) {
  std::set<std::string> divides;
  const std::string* first = nullptr;
  for (const auto& [name, sharding] : shardings) {
    if (!sharding.mesh) continue;
    if (first == nullptr) {
      first = &name;
      mesh = *sharding.mesh;
    } else if (*sharding.mesh != mesh) {
      throw std::invalid_argument(
          fmt::format("{} has another mesh than {}: expected one mesh for all arrays", name, *first));
    }
    for (const auto& dimension : sharding.spec) divides.insert(dimension.begin(), dimension.end());
  }
  for (const MeshAxis& axis : mesh.mesh.axes) {
    if (!divides.contains(axis.name)) continue;
    axes.push_back(axis.name);
    count *= axis.size;
  }
}

StoredTensor OrbaxBlocks::Of(const plan::Tensor& tensor, const OrbaxSharding& sharding) {
  const size_t dimensions = tensor.shape.size();
  if (!sharding.mesh) return {tensor, {{std::vector<int64_t>(dimensions, 0), tensor.shape, 0}}};
  const int divided = OnlyDividedDimension(sharding, shards_.axes);
  if (divided >= 0) return {tensor, {}, plan::Rows{.dimension = divided}};
  return {tensor, BlocksOf(tensor, sharding)};
}

std::vector<Block> OrbaxBlocks::BlocksOf(const plan::Tensor& tensor, const OrbaxSharding& sharding) {
  const size_t dimensions = tensor.shape.size();
  int64_t parts = 1;
  for (size_t d = 0; d < dimensions; ++d) parts *= sharding.PartsOf(d);
  blocks_ += shards_.count;
  holders_ += shards_.count * (shards_.count / parts);
  if (blocks_ > kMostBlocks || holders_ > kMostHolders)
    throw std::invalid_argument(
        fmt::format("by {} arrays fall into more than {} blocks, or these have more than {} holders: refused",
                    tensor.name, kMostBlocks, kMostHolders));
  Mesh divided;
  for (const std::string& axis : shards_.axes) divided.axes.push_back({axis, shards_.mesh.mesh.size(axis)});
  std::map<std::vector<int64_t>, std::vector<int32_t>> holders;
  for (int shard = 0; shard < shards_.count; ++shard)
    holders[PlaceOf(shard, divided, sharding, dimensions)].push_back(shard);
  std::vector<Block> blocks;
  for (const auto& [place, shards] : holders) {
    Block block{.offsets = place, .sizes = tensor.shape, .holders = shards};
    for (size_t d = 0; d < dimensions; ++d) {
      block.sizes[d] /= sharding.PartsOf(d);
      block.offsets[d] *= block.sizes[d];
    }
    for (const int32_t shard : shards) {
      block.shard = shard;
      blocks.push_back(block);
    }
  }
  return blocks;
}

}  // namespace zerocts::read
