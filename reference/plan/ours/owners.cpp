#include "reference/plan/ours/owners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

namespace zerocts {
namespace {

bool Contains(const std::string& name, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return name.find(word) != name.npos; });
}

int OwnerOfTheRest(const std::string& name, const RestOwners& rest) {
  if (Contains(name, {"embed", "wte", "wpe"})) return rest.embedding;
  return Contains(name, {"norm", "ln_"}) ? rest.norm : rest.head;
}

/// A tensor in no block goes to the rank with the least, blocks counted.
void BalanceTheRest(std::span<const int64_t> numel, int world_size, std::vector<int>& owners) {
  std::vector<int64_t> load(world_size, 0), rest_numel;
  std::vector<size_t> rest;
  for (size_t t = 0; t < owners.size(); ++t) {
    if (owners[t] >= 0) {
      load[owners[t]] += numel[t];
    } else {
      rest.push_back(t);
      rest_numel.push_back(numel[t]);
    }
  }
  const std::vector<int> of_rest = BalancedOwners(rest_numel, world_size, load);
  for (size_t i = 0; i < rest.size(); ++i) owners[rest[i]] = of_rest[i];
}

}  // namespace

std::vector<int> RoundRobinOwners(size_t tensors, int world_size) {
  std::vector<int> owners;
  for (size_t t = 0; t < tensors; ++t) owners.push_back(static_cast<int>(t % world_size));
  return owners;
}

std::vector<int> BalancedOwners(std::span<const int64_t> numel, int world_size, std::vector<int64_t> load) {
  std::vector<size_t> largest_first(numel.size());
  std::iota(largest_first.begin(), largest_first.end(), 0);
  std::stable_sort(largest_first.begin(), largest_first.end(), [&](size_t a, size_t b) { return numel[a] > numel[b]; });

  using Load = std::pair<int64_t, int>;  // elements so far, rank: on top the least load, of equal ones the lowest rank
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  load.resize(world_size, 0);
  for (int rank = 0; rank < world_size; ++rank) loads.push({load[rank], rank});
  std::vector<int> owners(numel.size());
  for (const size_t t : largest_first) {
    const auto [so_far, rank] = loads.top();
    loads.pop();
    owners[t] = rank;
    loads.push({so_far + numel[t], rank});
  }
  return owners;
}

std::vector<int> BlockOwners(std::span<const std::string> names, std::span<const int64_t> numel,
                             const ZeroShardMap& blocks, const RestOwners& rest) {
  for (const int owner : {rest.embedding, rest.norm, rest.head}) {
    if (owner < 0 || owner >= blocks.world_size())
      throw std::invalid_argument(fmt::format("owner {}: expected one of the {} ranks", owner, blocks.world_size()));
  }
  std::vector<int> owners;
  for (const std::string& name : names) {
    const int block = BlockOf(name);
    owners.push_back(block >= 0 ? blocks.BlockOwner(block) : rest.balanced ? -1 : OwnerOfTheRest(name, rest));
  }
  if (rest.balanced) BalanceTheRest(numel, blocks.world_size(), owners);
  return owners;
}

int BlockOf(const std::string& name) {
  const size_t digit = name.find_first_of("0123456789");
  if (digit == std::string::npos) return -1;
  int block = 0;
  const auto read = std::from_chars(name.data() + digit, name.data() + name.size(), block);
  if (read.ec == std::errc()) return block;
  throw std::invalid_argument(
      fmt::format("parameter {}: expected the number of a transformer block, got one beyond 2^31 - 1", name));
}

int64_t NumBlocks(std::span<const std::string> names) {
  int64_t blocks = 0;
  for (const std::string& name : names) blocks = std::max<int64_t>(blocks, int64_t{BlockOf(name)} + 1);
  return blocks;
}

}  // namespace zerocts
