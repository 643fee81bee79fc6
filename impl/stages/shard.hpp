// The part of the flat buffers whose optimizer state a rank holds.
#pragma once
#include <vector>

#include "impl/layout/layout.hpp"

namespace zerocts {

struct Shard {
  int64_t begin = 0, numel = 0;  // elements of the flat buffers
  std::vector<Piece> pieces;     // what of it are parameters; the rest is padding, whose values are never looked at
};

Shard WholeModel(const Layout& layout);
Shard ShardOf(const Layout& layout, int rank);

}  // namespace zerocts
