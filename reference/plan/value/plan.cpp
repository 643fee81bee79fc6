#include "reference/plan/value/plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace zerocts::plan {

int64_t Product(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

int64_t Tensor::numel() const { return Product(shape); }
int64_t AffinePiece::numel() const { return Product(shape); }

const char* NameOf(State state) {
  constexpr const char* kNames[] = {"parameters", "gradients", "optimizer"};
  return kNames[static_cast<int>(state)];
}

const Sharding* Plan::sharding(State state) const {
  const int index = sharding_of[static_cast<int>(state)];
  return index == kWhole ? nullptr : &shardings[index];
}

Group::Group(const Mesh& mesh, std::span<const std::string> axes) : world_size_(mesh.world_size()) {
  int stride = world_size_;
  std::vector<std::pair<std::string, Axis>> all;
  for (const MeshAxis& axis : mesh.axes) {
    stride /= axis.size;
    all.push_back({axis.name, {stride, axis.size}});
  }
  for (const std::string& name : axes) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& axis) { return axis.first == name; });
    if (found == all.end()) continue;
    axes_.push_back(found->second);
    shards_ *= found->second.size;
    all.erase(found);
  }
  for (const auto& [name, axis] : all) others_.push_back(axis);
}

int Group::PositionAlong(const std::vector<Axis>& axes, int rank) {
  int position = 0;
  for (const Axis& axis : axes) position = position * axis.size + rank / axis.stride % axis.size;
  return position;
}

int Group::ShardOf(int rank) const { return PositionAlong(axes_, rank); }
int Group::ReplicaOf(int rank) const { return PositionAlong(others_, rank); }

int Group::FirstRankOf(int shard) const {
  int rank = 0;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    rank += shard % axis->size * axis->stride;
    shard /= axis->size;
  }
  return rank;
}

std::vector<int> Group::RanksOf(int shard) const {
  std::vector<int> ranks = {FirstRankOf(shard)};
  for (const Axis& axis : others_) {
    const size_t so_far = ranks.size();
    for (int step = 1; step < axis.size; ++step) {
      for (size_t r = 0; r < so_far; ++r) ranks.push_back(ranks[r] + step * axis.stride);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

bool Needs(const Tensor& tensor, State state) {
  return tensor.tied_to < 0 && (!tensor.frozen || state == State::kParameters);
}

}  // namespace zerocts::plan
