// Kernels whose threads work together, written once for a GPU and for the test that runs them on the host.
//
// Such a body is called once per team, body(team, number, room): `room` is a Body::Room that the team shares (shared
// memory on a GPU, whatever it holds before), Body::kThreads the size of the team. Code outside of Each is run by every
// thread alike, so it may read what is shared and keep values of its own, and writes nothing but those. Within Each, a
// thread does its part; what it wrote is seen by all after it.
//
//   team.Each([&](int thread) { .. });        every thread's part, then all wait for each other
//   typename Team::template Private<T> mine;  a T per thread, mine[thread], kept from one Each to the next
//   team.AtomicAdd(&word, n), AtomicMax       integers only, because their order does not matter
#pragma once
#include <cstdint>

#include "reference/numerics/lane_tree.hpp"
#include "reference/ops/formulas.hpp"

namespace zerocts::engine::bodies {

/// What TreeSums need of a team's room; `Width` sums at once.
template <int Width>
struct TreeRoom {
  static constexpr int kLevels = 32;  // of blocks: 4 TiB of values
  float lanes[kLanes][Width];
  float partial[kLevels][Width];
  float total[Width];
};

/// lanes[l] = combine(lanes[l], lanes[l + half]) for half = 32, 16, .., 1, for all sums of the room.
template <int Width, typename Team, typename Combine>
ZEROCTS_INLINE void HalveLanes(const Team& team, TreeRoom<Width>& room, const Combine& combine) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    team.Each([&](int thread) {
      const int lane = thread / Width, w = thread % Width;
      if (lane < half) room.lanes[lane][w] = combine(room.lanes[lane][w], room.lanes[lane + half][w]);
    });
  }
}

/// use(i, load(i)) for i = first, first + kLanes, .. below end, in this order. Some are loaded before the first of them
/// is used: a thread that waits for one load at a time leaves memory idle. So load reads nothing that use writes for
/// others.
template <typename Load, typename Use>
ZEROCTS_INLINE void LoadAhead(int64_t first, int64_t end, const Load& load, const Use& use) {
  constexpr int kAhead = 8;
  int64_t i = first;
  for (; i + (kAhead - 1) * kLanes < end; i += kAhead * kLanes) {
    decltype(load(i)) loaded[kAhead];
    for (int n = 0; n < kAhead; ++n) loaded[n] = load(i + n * kLanes);
    for (int n = 0; n < kAhead; ++n) use(i + n * kLanes, loaded[n]);
  }
  for (; i < end; i += kLanes) use(i, load(i));
}

/// room.total[w] = LaneTreeSum of term(i, load(i, w)) for i = 0, .., count - 1, by kLanes * Width threads. Both are
/// called once for each, within Each, as LoadAhead calls them. The total stands until the next sum's last Each.
template <int Width, typename Team, typename Load, typename Term>
ZEROCTS_INLINE void TreeSums(const Team& team, TreeRoom<Width>& room, int64_t count, const Load& load,
                             const Term& term) {
  int64_t blocks = 0;
  for (int64_t begin = 0; begin < count; begin += kLaneBlock, ++blocks) {
    const int64_t end = begin + kLaneBlock < count ? begin + kLaneBlock : count;
    team.Each([&](int thread) {
      const int w = thread % Width;
      float sum = 0.0f;
      LoadAhead(
          begin + thread / Width, end, [&](int64_t i) { return load(i, w); },
          [&](int64_t i, const auto& loaded) { sum += term(i, loaded); });
      room.lanes[thread / Width][w] = sum;
    });
    HalveLanes(team, room, [](float x, float y) { return x + y; });
    // Blocks are added pairwise, like the carry of a binary counter: one partial sum per bit of their count.
    team.Each([&](int thread) {
      if (thread >= Width) return;
      float sum = room.lanes[0][thread];
      int level = 0;
      for (; (blocks >> level & 1) != 0; ++level) sum = room.partial[level][thread] + sum;
      room.partial[level][thread] = sum;
    });
  }
  team.Each([&](int thread) {
    if (thread >= Width) return;
    float sum = 0.0f;
    bool is_first = true;
    for (int level = 0; blocks >> level != 0; ++level) {
      if ((blocks >> level & 1) == 0) continue;
      sum = is_first ? room.partial[level][thread] : room.partial[level][thread] + sum;
      is_first = false;
    }
    room.total[thread] = sum;
  });
}

/// The same of term(0, w), .., term(count - 1, w).
template <int Width, typename Team, typename Term>
ZEROCTS_INLINE void TreeSums(const Team& team, TreeRoom<Width>& room, int64_t count, const Term& term) {
  TreeSums(team, room, count, term, [](int64_t, float x) { return x; });
}

/// room.total[0] = the largest of value(0), .., value(count - 1); NaN is skipped, -inf of none.
template <typename Team, typename Value>
ZEROCTS_INLINE void FindLargest(const Team& team, TreeRoom<1>& room, int64_t count, const Value& value) {
  team.Each([&](int thread) {
    float largest = -__builtin_inff();
    LoadAhead(thread, count, value, [&](int64_t, float x) { largest = x > largest ? x : largest; });
    room.lanes[thread][0] = largest;
  });
  HalveLanes(team, room, [](float x, float y) { return y > x ? y : x; });
  team.Each([&](int thread) {
    if (thread == 0) room.total[0] = room.lanes[0][0];
  });
}

}  // namespace zerocts::engine::bodies
