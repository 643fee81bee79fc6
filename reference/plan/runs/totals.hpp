// What each shard holds in all, in closed form: a flat range costs the same however many shards there are.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

/// Sums over shards: what is added to a range of them costs one addition, however long the range.
class ShardTotals {
 public:
  explicit ShardTotals(int64_t shards) : steps_(shards + 1, 0) {}
  /// Shards outside 0..shards are left out.
  void AddToRange(int64_t first, int64_t end, int64_t amount);
  void AddTo(int64_t shard, int64_t amount) { AddToRange(shard, shard + 1, amount); }
  std::vector<int64_t> Done() const;

 private:
  std::vector<int64_t> steps_;  // of each shard above the one before it
};

/// [shards]: elements of a tensor times its weight, added up. `weight` is per tensor of the model. Exceptions are left
/// out.
std::vector<int64_t> HeldByShards(const Plan& plan, const Sharding& sharding, std::span<const int64_t> weight);
/// [shards]: the same of all that memory is needed for, padding included. In a flat buffer all elements have the
/// greatest weight of its tensors.
std::vector<int64_t> SlotsOfShards(const Plan& plan, const Sharding& sharding, std::span<const int64_t> weight);

}  // namespace zerocts::plan
