// What the softmax of a loss and that of attention do with a row, by a team of kLanes threads (team.hpp).
#pragma once
#include "impl/device/team.hpp"

namespace zerocts::engine::bodies {

/// out[i] = the numerator of in[i], i = 0, .., count - 1, and room.total[0] their sum; out may be in.
template <typename Team>
ZEROCTS_INLINE void SumNumerators(const Team& team, TreeRoom<1>& room, float* out, const float* in, float largest,
                                  int64_t count) {
  TreeSums(
      team, room, count, [&](int64_t i, int) { return in[i]; },
      [&](int64_t i, float x) { return out[i] = formulas::SoftmaxNumerator(x, largest); });
}

/// A row of numerators becomes a row of gradients.
template <typename Team>
ZEROCTS_INLINE void SoftmaxGradients(const Team& team, float* row, float sum, int64_t target, float batch,
                                     int64_t count) {
  team.Each([&](int thread) {
    LoadAhead(
        thread, count, [&](int64_t v) { return row[v]; },
        [&](int64_t v, float numerator) {
          row[v] = formulas::SoftmaxGradient(numerator, sum, v == target ? 1.0f : 0.0f, batch);
        });
  });
}

}  // namespace zerocts::engine::bodies
