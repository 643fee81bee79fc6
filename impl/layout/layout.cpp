// Layouts by plan, their pieces, and their proof.
#include "impl/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "impl/layout/unimplemented.hpp"

namespace zerocts {
namespace {

/// Parameters end to end, not yet cut.
Layout Uncut(const std::string& plan, const std::vector<int64_t>& numel, int world_size) {
  if (world_size < 1) throw std::invalid_argument(fmt::format("world_size is {}: expected at least 1", world_size));
  Layout layout;
  layout.plan = plan;
  layout.numel = numel;
  for (int64_t n : numel) {
    if (n < 0) throw std::invalid_argument(fmt::format("a parameter has {} elements: expected at least 0", n));
    layout.offset.push_back(layout.padded_numel);
    layout.padded_numel += n;
  }
  return layout;
}

}  // namespace

Layout ContiguousLayout(const std::vector<int64_t>& numel, int world_size) {
  Layout layout = Uncut("contiguous", numel, world_size);
  layout.shard_begin = {0};
  for (int rank = 0; rank < world_size; ++rank) {
    layout.shard_begin.push_back(OptimizerShard::ForRank(rank, world_size, layout.padded_numel).end);
  }
  return layout;
}

Layout PaddedLayout(const std::vector<int64_t>& numel, int world_size, int64_t alignment) {
  if (alignment < 1) throw std::invalid_argument(fmt::format("alignment is {}: expected at least 1", alignment));
  Layout layout = Uncut("padded", numel, world_size);
  const int64_t cut = alignment * world_size;  // every shard grows in steps of `alignment`
  const int64_t shard_numel = (layout.padded_numel + cut - 1) / cut * alignment;
  for (int rank = 0; rank <= world_size; ++rank) layout.shard_begin.push_back(rank * shard_numel);
  layout.padded_numel = layout.shard_begin.back();
  return layout;
}

Layout MakeLayout(const std::string& plan, const std::vector<int64_t>& numel, int world_size) {
  if (plan == "contiguous") return ContiguousLayout(numel, world_size);
  if (plan == "padded") return PaddedLayout(numel, world_size);
  throw Unimplemented(fmt::format("plan {} is unknown; this build has: contiguous, padded", plan));
}

std::vector<Piece> Layout::PiecesOf(int rank) const {
  std::vector<Piece> pieces;
  const int64_t shard_end = shard_begin[rank + 1];
  for (size_t p = 0; p < numel.size(); ++p) {
    const int64_t begin = std::max(offset[p], shard_begin[rank]);
    const int64_t end = std::min(offset[p] + numel[p], shard_end);
    if (begin < end) {
      pieces.push_back({static_cast<int>(p), begin - offset[p], end - offset[p], begin - shard_begin[rank]});
    }
  }
  return pieces;
}

std::string Problem(const Layout& layout) {
  const auto& [plan, numel, offset, padded_numel, shard_begin] = layout;
  if (shard_begin.size() < 2) return "the layout has no shard: expected one per rank";
  if (offset.size() != numel.size()) return fmt::format("{} parameters have {} offsets", numel.size(), offset.size());
  if (shard_begin.front() != 0 || shard_begin.back() != padded_numel) {
    return fmt::format("shards cover [{}, {}): expected [0, {})", shard_begin.front(), shard_begin.back(),
                       padded_numel);
  }
  for (int rank = 0; rank < layout.world_size(); ++rank) {
    if (layout.shard_numel(rank) < 0) {
      return fmt::format("the shard of rank {} begins at {} and ends at {}", rank, shard_begin[rank],
                         shard_begin[rank + 1]);
    }
  }

  // Shards tile the flat buffer, so an element is in exactly one shard when its parameter is inside and overlaps no
  // other.
  std::vector<size_t> order(numel.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return offset[a] < offset[b]; });
  int64_t end_of_last = 0;
  size_t last = 0;
  for (size_t p : order) {
    if (numel[p] < 0) return fmt::format("parameter {} has {} elements", p, numel[p]);
    if (numel[p] == 0) continue;
    if (offset[p] < 0 || offset[p] + numel[p] > padded_numel) {
      return fmt::format("parameter {} lies in [{}, {}), outside the flat buffer [0, {})", p, offset[p],
                         offset[p] + numel[p], padded_numel);
    }
    if (offset[p] < end_of_last) return fmt::format("parameters {} and {} overlap at element {}", last, p, offset[p]);
    end_of_last = offset[p] + numel[p];
    last = p;
  }
  return "";
}

std::string ToString(const Layout& layout) {
  const int64_t total = std::accumulate(layout.numel.begin(), layout.numel.end(), int64_t{0});
  std::string text = fmt::format("{}: {} elements of {} parameters, {} of padding, {} ranks", layout.plan, total,
                                 layout.numel.size(), layout.padded_numel - total, layout.world_size());
  for (int rank = 0; rank < layout.world_size(); ++rank) {
    text += fmt::format("\nrank {} [{}, {}):", rank, layout.shard_begin[rank], layout.shard_begin[rank + 1]);
    for (const Piece& piece : layout.PiecesOf(rank))
      text += fmt::format(" {}[{}, {})", piece.parameter, piece.begin, piece.end);
  }
  return text;
}

}  // namespace zerocts
