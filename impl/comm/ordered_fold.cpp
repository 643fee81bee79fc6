#include "impl/comm/ordered_fold.hpp"

#include <algorithm>
#include <stdexcept>

namespace zerocts {

void CheckOffsets(const std::vector<int64_t>& offsets, int world_size) {
  const bool one_piece_per_rank = std::ssize(offsets) == world_size + 1;
  if (!one_piece_per_rank || offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end())) {
    throw std::logic_error("offsets of a collective: expected world_size + 1 entries from 0 that never fall");
  }
}

void FoldPiece(float* out, const Fold& fold, const std::vector<const float*>& leaves, float divisor, int64_t numel,
               DeviceStream& stream) {
  if (numel > 0) stream.ops().FoldLeaves(out, fold, leaves, divisor, numel);
  stream.Synchronize();
}

}  // namespace zerocts
