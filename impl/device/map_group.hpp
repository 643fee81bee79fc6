// out[i] = body(i), several elements by one thread: a thread that waits for one load at a time leaves memory idle.
//
// A body is called body(i), reads what it likes where nothing is written, and of `out` at most element i. One that
// does work for several elements at once has, in place of that, body.Compute(values, at): values[n] for element at[n].
#pragma once
#include <cstdint>

#include "reference/numerics/inline.hpp"

namespace zerocts::engine::bodies {

/// Elements of one thread, `stride` apart: neighbours belong to neighbouring threads.
struct Elements {
  int64_t first, stride;
  ZEROCTS_INLINE int64_t operator[](int n) const { return first + n * stride; }
};
inline constexpr int kGroup = 4;

/// All loads stand before all stores, which could be to the same addresses as far as a compiler knows.
template <int N, typename Out, typename Body>
ZEROCTS_INLINE void MapSome(Out* out, const Body& body, const Elements& at) {
  Out values[N];
  if constexpr (requires { body.Compute(values, at); }) {
    body.Compute(values, at);
  } else {
    for (int n = 0; n < N; ++n) values[n] = body(at[n]);
  }
  for (int n = 0; n < N; ++n) out[at[n]] = values[n];
}

/// As many of kGroup elements as there are below `numel`.
template <typename Out, typename Body>
ZEROCTS_INLINE void MapGroup(Out* out, const Body& body, const Elements& at, int64_t numel) {
  if (at[kGroup - 1] < numel) {
    MapSome<kGroup>(out, body, at);
  } else {
    for (int64_t i = at.first; i < numel; i += at.stride) MapSome<1>(out, body, {i, at.stride});
  }
}

}  // namespace zerocts::engine::bodies
