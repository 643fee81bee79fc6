#include "impl/stages/shard.hpp"

namespace zerocts {

Shard WholeModel(const Layout& layout) {
  Shard whole;
  for (size_t p = 0; p < layout.numel.size(); ++p) {
    if (layout.numel[p] > 0) whole.pieces.push_back({static_cast<int>(p), 0, layout.numel[p], layout.offset[p]});
    whole.numel = layout.offset[p] + layout.numel[p];  // padding stands behind the last parameter
  }
  return whole;
}

Shard ShardOf(const Layout& layout, int rank) {
  return {layout.shard_begin[rank], layout.shard_numel(rank), layout.PiecesOf(rank)};
}

}  // namespace zerocts
