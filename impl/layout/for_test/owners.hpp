// Layouts element by element, for tests that judge them by enumeration.
#pragma once
#include <rapidcheck.h>

#include <numeric>
#include <vector>

#include "impl/layout/layout.hpp"

namespace zerocts::engine {

inline int64_t Sum(const std::vector<int64_t>& numel) {
  return std::accumulate(numel.begin(), numel.end(), int64_t{0});
}

/// Elements of a bucket's parameters.
inline int64_t ElementsOfBucket(const Layout& layout, int bucket) {
  int64_t numel = 0;
  for (int p : layout.buckets[bucket].parameters) numel += layout.numel[p];
  return numel;
}

/// The rank that has each element of each parameter.
inline std::vector<std::vector<int>> OwnersByElement(const Layout& layout) {
  std::vector<std::vector<int>> owners;
  for (int64_t n : layout.numel) owners.emplace_back(n, -1);
  for (int shard = 0; shard < layout.shards(); ++shard) {
    for (const Piece& piece : layout.PiecesOf(shard)) {
      for (int64_t i = piece.begin; i < piece.end; ++i) {
        RC_ASSERT(owners[piece.parameter].at(i) == -1);
        owners[piece.parameter][i] = shard;
      }
    }
  }
  return owners;
}

}  // namespace zerocts::engine
