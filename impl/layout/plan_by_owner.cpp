// Parameters that are never divided: CS336's round robin, the balanced one, and entrenar's blocks.
#include <algorithm>
#include <string>

#include "impl/layout/layout_builder.hpp"
#include "impl/layout/plan_families.hpp"
#include "reference/plan/ours/owners.hpp"

namespace zerocts::engine {
namespace {

std::vector<int64_t> NumelOf(const PlanRequest& request) {
  std::vector<int64_t> numel;
  for (const PlanParameter& parameter : request.parameters) numel.push_back(parameter.numel());
  return numel;
}

std::vector<int> OwnersByBlock(const PlanRequest& request, ZeroShardMap (*map_of)(int64_t num_blocks, int world_size)) {
  std::vector<std::string> names;
  for (const PlanParameter& parameter : request.parameters) names.push_back(parameter.name);
  return BlockOwners(names, NumelOf(request), map_of(NumBlocks(names), request.shards));
}

}  // namespace

std::vector<int> RoundRobinOwners(const PlanRequest& request) {
  return zerocts::RoundRobinOwners(request.parameters.size(), request.shards);
}

std::vector<int> BalancedOwners(const PlanRequest& request) {
  return zerocts::BalancedOwners(NumelOf(request), request.shards);
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
