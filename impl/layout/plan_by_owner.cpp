// Parameters that are never divided: CS336's round robin, the balanced one, and entrenar's blocks.
#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "impl/layout/layout_builder.hpp"
#include "impl/layout/plan_families.hpp"
#include "reference/plan/zero_shard_map.hpp"

namespace zerocts::engine {
namespace {

std::vector<int> OwnersByBlock(const PlanRequest& request, ZeroShardMap (*map_of)(int64_t num_blocks, int world_size)) {
  std::vector<int> block_of;
  for (const PlanParameter& parameter : request.parameters) block_of.push_back(BlockOf(parameter.name));
  const int64_t num_blocks = block_of.empty() ? 0 : int64_t{*std::max_element(block_of.begin(), block_of.end())} + 1;
  const ZeroShardMap map = map_of(num_blocks, request.shards);
  std::vector<int> owners;
  for (int block : block_of) owners.push_back(block < 0 ? ZeroShardMap::kOwnerOfTheRest : map.BlockOwner(block));
  return owners;
}

}  // namespace

std::vector<int> RoundRobinOwners(const PlanRequest& request) {
  std::vector<int> owners;
  for (size_t p = 0; p < request.parameters.size(); ++p) owners.push_back(static_cast<int>(p % request.shards));
  return owners;
}

std::vector<int> BalancedOwners(const PlanRequest& request) {
  std::vector<int64_t> numel;
  for (const PlanParameter& parameter : request.parameters) numel.push_back(parameter.numel());
  std::vector<int> largest_first(numel.size());
  std::iota(largest_first.begin(), largest_first.end(), 0);
  std::stable_sort(largest_first.begin(), largest_first.end(), [&](int a, int b) { return numel[a] > numel[b]; });

  using Load = std::pair<int64_t, int>;  // elements so far, rank: on top the least load, of equal ones the lowest rank
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int rank = 0; rank < request.shards; ++rank) loads.push({0, rank});
  std::vector<int> owners(numel.size());
  for (int p : largest_first) {
    const auto [load, rank] = loads.top();
    loads.pop();
    owners[p] = rank;
    loads.push({load + numel[p], rank});
  }
  return owners;
}

std::vector<int> BlockRoundRobinOwners(const PlanRequest& request) {
  return OwnersByBlock(request, ZeroShardMap::RoundRobin);
}

std::vector<int> BlockContiguousOwners(const PlanRequest& request) {
  return OwnersByBlock(request, ZeroShardMap::Contiguous);
}

Layout PlanByOwner(const PlanRequest& request, const std::vector<int>& owners) {
  LayoutBuilder builder(request);
  for (const auto& parameters : ParametersOfBuckets(request)) {
    std::vector<int> by_owner = parameters;
    std::stable_sort(by_owner.begin(), by_owner.end(), [&](int a, int b) { return owners[a] < owners[b]; });
    std::vector<int64_t> part_end;
    auto p = by_owner.begin();
    for (int rank = 0; rank < request.shards; ++rank) {
      for (; p != by_owner.end() && owners[*p] == rank; ++p) builder.Place(*p);
      part_end.push_back(builder.position());
    }
    builder.CloseCut(part_end);
    builder.CloseBucket(parameters);
  }
  return std::move(builder).Done();
}

}  // namespace zerocts::engine
