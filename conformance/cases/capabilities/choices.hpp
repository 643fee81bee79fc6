// What a run leaves to choose from.
#pragma once
#include <algorithm>
#include <iterator>
#include <vector>

namespace zerocts {

template <typename Item>
bool Contains(const std::vector<Item>& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

/// The items of `wanted` that `available` has too; all that is available when nothing particular is wanted.
template <typename Item>
std::vector<Item> Common(const std::vector<Item>& wanted, const std::vector<Item>& available) {
  if (wanted.empty()) return available;
  std::vector<Item> common;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(common),
               [&](const Item& item) { return Contains(available, item); });
  return common;
}

/// How many replicas `world_size` ranks can form, from two on.
inline std::vector<int> ReplicaCounts(int world_size) {
  std::vector<int> divisors;
  for (int replicas = 2; replicas <= world_size; ++replicas) {
    if (world_size % replicas == 0) divisors.push_back(replicas);
  }
  return divisors;
}

/// As many replicas as leave several ranks in each.
inline std::vector<int> ShardedReplicaCounts(int world_size) {
  std::vector<int> counts = ReplicaCounts(world_size);
  if (!counts.empty()) counts.pop_back();  // as many as ranks
  return counts;
}

/// The declared numbers of tensor ranks above one into which so many ranks can be cut.
inline std::vector<int> TensorCounts(int world_size, std::vector<int> declared) {
  std::erase_if(declared, [=](int count) { return count == 1 || world_size % count != 0; });
  return declared;
}

}  // namespace zerocts
