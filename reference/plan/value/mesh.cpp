#include "reference/plan/value/mesh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace zerocts {
namespace {

void RequireRank(const Mesh& mesh, int rank) {
  if (rank >= 0 && rank < mesh.world_size()) return;
  throw std::invalid_argument(
      fmt::format("rank is {}: expected 0..{} in a mesh of {}", rank, mesh.world_size() - 1, ToString(mesh)));
}

auto Find(const Mesh& mesh, const std::string& name) {
  return std::find_if(mesh.axes.begin(), mesh.axes.end(), [&](const MeshAxis& axis) { return axis.name == name; });
}

/// How far apart two neighbours along `axis` are: the product of the sizes of the axes inside of it.
int Stride(const Mesh& mesh, std::vector<MeshAxis>::const_iterator axis) {
  int stride = 1;
  for (auto inner = std::next(axis); inner != mesh.axes.end(); ++inner) stride *= inner->size;
  return stride;
}

}  // namespace

int Mesh::world_size() const {
  int ranks = 1;
  for (const MeshAxis& axis : axes) ranks *= axis.size;
  return ranks;
}

int Mesh::size(const std::string& axis) const {
  const auto found = Find(*this, axis);
  return found == axes.end() ? 1 : found->size;
}

int Mesh::Coordinate(int rank, const std::string& axis) const {
  RequireRank(*this, rank);
  const auto found = Find(*this, axis);
  return found == axes.end() ? 0 : rank / Stride(*this, found) % found->size;
}

std::vector<int> Mesh::RanksAlong(int rank, const std::string& axis) const {
  RequireRank(*this, rank);
  const auto found = Find(*this, axis);
  if (found == axes.end()) return {rank};
  const int stride = Stride(*this, found);
  const int first = rank - Coordinate(rank, axis) * stride;
  std::vector<int> ranks;
  for (int i = 0; i < found->size; ++i) ranks.push_back(first + i * stride);
  return ranks;
}

Mesh HybridMesh(int replicas, int shards, int tensor) {
  Mesh mesh{{{"replicate", replicas}, {"shard", shards}}};
  if (tensor != 1) mesh.axes.push_back({"tensor", tensor});
  int64_t ranks = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.size < 1)
      throw std::invalid_argument(fmt::format("a mesh of {}: expected at least 1 of each", ToString(mesh)));
    ranks *= axis.size;
    if (ranks > std::numeric_limits<int>::max()) {
      throw std::invalid_argument(fmt::format("a mesh of {}: expected at most 2^31 - 1 ranks", ToString(mesh)));
    }
  }
  return mesh;
}

std::string ToString(const Mesh& mesh) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh.axes) axes.push_back(fmt::format("{} {}", axis.name, axis.size));
  return fmt::format("{}", fmt::join(axes, " x "));
}

}  // namespace zerocts
