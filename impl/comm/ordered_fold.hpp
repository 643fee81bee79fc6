// What every backend does with the pieces once they are in reach: the checks of a cut, and the fold in the defined
// order.
#pragma once
#include <cstdint>
#include <vector>

#include "impl/device/device.hpp"
#include "reference/numerics/reduction_order.hpp"

namespace zerocts {

/// Throws std::logic_error unless offsets has world_size + 1 entries that start at 0 and never fall.
void CheckOffsets(const std::vector<int64_t>& offsets, int world_size);

/// out[i] = fold over leaves[rank][i], divided by `divisor`; returns when it has happened.
void FoldPiece(float* out, const Fold& fold, const std::vector<const float*>& leaves, float divisor, int64_t numel,
               DeviceStream& stream);

}  // namespace zerocts
