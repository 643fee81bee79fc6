// Which shard holds an element, one question at a time.
#pragma once
#include <unordered_map>
#include <vector>

#include "reference/plan/value/plan.hpp"

namespace zerocts::plan {

class ShardLookup {
 public:
  static constexpr int kNobody = -1, kEverybody = -2;

  /// Keeps a reference to the plan.
  ShardLookup(const Plan& plan, State state);
  /// One of them where several hold it; kEverybody where no state is divided, or an affine piece names all shards.
  /// Exceptions are left out.
  int ShardOf(int32_t tensor, int64_t element) const;

 private:
  struct Entry {
    const Division* division = nullptr;
    size_t index = 0;    // of the tensor in the division
    int64_t offset = 0;  // in its flat buffer
    int64_t length = 0;  // of the flat range
  };
  int ShardInList(const Division& division, int64_t position) const;

  const Plan& plan_;
  const Sharding* sharding_;
  Group group_;
  std::vector<Entry> entries_;                                        // per tensor
  std::unordered_map<const Division*, std::vector<Interval>> lists_;  // of those that have one, ascending
};

}  // namespace zerocts::plan
